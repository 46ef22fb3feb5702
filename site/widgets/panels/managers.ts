// Who manages which field of an object: entries of metadata.managedFields, as
// playground/demo/recording/managers.go works them out.

import type { Json, Managers } from "../state/recording";

export interface Manager {
  name: string;
  operation: string;
  apiVersion: string;
  time: string;
  subresource: string;
  /** fieldsV1 */
  fields: Json;
}

/** The managers after the last of some events. */
export function managersAt(managers: Managers, events: readonly number[]): Manager[] {
  for (let i = events.length - 1; i >= 0; i--) {
    const found = managers.events[events[i]!];
    if (!found) continue;
    return found.map(([name, operation, apiVersion, time, subresource, set]) =>
      ({ name, operation, apiVersion, time, subresource, fields: managers.sets[set]! }));
  }
  return [];
}

/** A set of fields as paths: ".spec.containers[name=app].image". */
export function pathsOf(fields: Json): string[] {
  const out: string[] = [];
  const walk = (node: Json, path: string) => {
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const keys = Object.keys(node);
    if (keys.length === 0) out.push(path);
    for (const key of keys) if (key !== ".") walk(node[key]!, path + element(key));
  };
  walk(fields, "");
  return out;
}

function element(key: string): string {
  const rest = key.slice(2);
  switch (key.slice(0, 2)) {
    case "f:":
      return /^[\w-]+$/.test(rest) ? `.${rest}` : `["${rest}"]`;
    case "k:":
      return `[${Object.entries(JSON.parse(rest) as Record<string, Json>).map(([k, v]) => `${k}=${String(v)}`).join(",")}]`;
    case "v:":
      return `[=${rest}]`;
  }
  return `[${rest}]`;
}
