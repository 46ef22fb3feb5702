// An experiment as a URL fragment: which demo, its seed, what the reader did,
// and the moment that is shown. Since the control plane is deterministic, that
// is all it takes to see the same again.
//
//	#demo=replicaset-scale&engine=8c2f01ab&seed=23&inputs=16.25,scale,replicasets,default,web,8;20,kill-node,node-2&at=21.003215&event=812
//
// engine   what the link was made with: 8 hexadecimal digits that change with the control plane and with what the demo does, not with its
//          texts (Engine in generator/build/releases). A page with another engine looks for the release that has this one (kept.ts).
//          A link without one is opened by whatever engine is there
// inputs   what the reader did, in order, separated by ";". Each is the virtual
//          time in seconds (up to nanoseconds), the kind, and the kind's fields:
//            scale       resource, namespace, name, replicas
//            delete      resource, namespace, name[, grace in seconds]
//            kill-node   node            start-node  node
//            drop-watch  component[, resource]
//            stop        component       start       component
//            apply       manifest as JSON        create  manifest as JSON
//            patch       resource, namespace, name, the patch as JSON
//            own         resource, namespace, name, value
//            kubectl     the words of the command line, "+" in between[, what -f reads, as JSON]
//            type        the line[, the connection]
//            crash-container, use-memory, use-cpu   resource, namespace, name[, container[, value]]
//            registry-down, registry-up             nothing
//            lose-image, restore-image              name
//            terminate-instance                     node
//            fill-memory, fill-disk, slow-kubelet   node, value
//            partition   node, or nothing and component
//            slow        component, value
//            fail        component[, value]
//            heal        node, or nothing and component[, value]
//            load        resource, namespace, name, value
//            set-metric  metric, value[, resource, namespace, name]
//            request     url[, from[, method]]
//            api-request method, url[, content type[, body[, agent[, connection]]]]
//            reconfigure the schedulers' profiles as JSON
// what-if  the counterfactual that this happens in; without it in the real world
// versus   what was done in the world beside it, in the form of inputs, and maybe
//          nothing: two worlds of this seed are compared
// versus-what-if  the counterfactual of that one
// at       the virtual time of the moment, seconds
// event    the event's number, of both worlds' when there are two: exact as long as
//          the demo is the same; when the event with that number is not at that time,
//          at decides
//
// kubewalk cluster reads the same links, in Go: playground/demo/link. Both are tested with its testdata/links.json.

import { kinds, type Input, type Kind } from "./scenario";

/** What makes a world, with the seed. */
export interface Course {
  inputs: Input[];
  /** The counterfactual; in the real world there is none. */
  whatIf?: string;
}

export interface Experiment extends Course {
  demo: string;
  /** What it was made with; in older links there is none. */
  engine?: string;
  seed: number;
  /** The world beside it. */
  versus?: Course;
  /** µs */
  at: number;
  event?: number;
}

/** How many inputs a link may have, and how late its times may be, s: virtual time ends after a year. */
const mostInputs = 1000;
const latest = 365 * 24 * 3600;

/** Thrown by parse; the message says what is wrong with the link. */
export class BadLink extends Error {}

const fieldsOf: Record<Kind, readonly (keyof Input)[]> = {
  scale: ["resource", "namespace", "name", "replicas"],
  delete: ["resource", "namespace", "name", "grace"],
  "kill-node": ["node"],
  "start-node": ["node"],
  "drop-watch": ["component", "resource"],
  stop: ["component"],
  start: ["component"],
  apply: ["manifest"],
  create: ["manifest"],
  patch: ["resource", "namespace", "name", "manifest"],
  own: ["resource", "namespace", "name", "value"],
  kubectl: ["args", "manifest"],
  "crash-container": ["resource", "namespace", "name", "container", "value"],
  "use-memory": ["resource", "namespace", "name", "container", "value"],
  "use-cpu": ["resource", "namespace", "name", "container", "value"],
  type: ["value", "connection"],
  "registry-down": [],
  "registry-up": [],
  "lose-image": ["name"],
  "restore-image": ["name"],
  "fill-memory": ["node", "value"],
  "fill-disk": ["node", "value"],
  "slow-kubelet": ["node", "value"],
  "terminate-instance": ["node"],
  partition: ["node", "component"],
  slow: ["component", "value"],
  fail: ["component", "value"],
  heal: ["node", "component", "value"],
  load: ["resource", "namespace", "name", "value"],
  "set-metric": ["metric", "value", "resource", "namespace", "name"],
  request: ["url", "from", "method"],
  "api-request": ["method", "url", "contentType", "body", "agent", "connection"],
  reconfigure: ["profiles"],
};
/** What may be missing, in any input and in some. */
const optional = new Set<keyof Input>(["grace", "namespace", "container", "from", "contentType", "body", "agent", "connection"]);
const optionalIn: Partial<Record<Kind, readonly (keyof Input)[]>> = {
  "drop-watch": ["resource"],
  "crash-container": ["value"],
  partition: ["node", "component"],
  fail: ["value"],
  type: ["value"],
  heal: ["node", "component", "value"],
  "set-metric": ["value", "resource", "name"],
  kubectl: ["manifest"],
  request: ["method"],
};
const json = new Set<keyof Input>(["manifest", "profiles"]);
const numbers = new Set<keyof Input>(["replicas", "grace"]);

// What stands between fields may not stand in them; the rest may, if URLs allow it.
const encode = (text: string) => encodeURIComponent(text).replace(/%(3A|2F|40)/g, decodeURIComponent);

export function print(e: Experiment): string {
  let out = `demo=${encode(e.demo)}${e.engine ? `&engine=${e.engine}` : ""}&seed=${e.seed}`;
  if (e.inputs.length > 0) out += `&inputs=${e.inputs.map(printInput).join(";")}`;
  if (e.whatIf) out += `&what-if=${encode(e.whatIf)}`;
  if (e.versus) out += `&versus=${e.versus.inputs.map(printInput).join(";")}`;
  if (e.versus?.whatIf) out += `&versus-what-if=${encode(e.versus.whatIf)}`;
  out += `&at=${decimal(e.at, 6)}`;
  if (e.event !== undefined) out += `&event=${e.event}`;
  return out;
}

function printInput(input: Input): string {
  const parts = [decimal(input.at, 9), input.kind as string];
  for (const field of fieldsOf[input.kind]) {
    const value = input[field];
    if (value === undefined) parts.push("");
    else if (field === "args") parts.push((value as string[]).map(encode).join("+"));
    else parts.push(encode(json.has(field) ? JSON.stringify(value) : String(value)));
  }
  while (parts.at(-1) === "") parts.pop();
  return parts.join(",");
}

/** A whole number of units of 10^-places, as a decimal: 16250000, 6 → "16.25". */
function decimal(n: number, places: number): string {
  const text = String(n).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`.replace(/\.?0+$/, "");
}

function whole(text: string, places: number, what: string): number {
  const match = /^(\d{1,9})(?:\.(\d+))?$/.exec(text);
  if (!match || (match[2] ?? "").length > places) throw new BadLink(`${what} "${text}" is not a time in seconds`);
  if (Number(text) > latest) throw new BadLink(`${what} "${text}" is more than a year away`);
  return Number(match[1]! + (match[2] ?? "").padEnd(places, "0"));
}

function count(text: string, what: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new BadLink(`${what} "${text}" is not a number`);
  return Number(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadLink(`"${text}" is not encoded as URLs are`);
  }
}

/** The demo that a fragment speaks of, whatever else is wrong with it. */
export function demoOf(fragment: string): string | undefined {
  const match = /^#?demo=([^&]*)/.exec(fragment);
  return match ? decode(match[1]!) : undefined;
}

const isEngine = (text: string | undefined) => /^[0-9a-f]{8}$/.test(text ?? "");

/** The engine that a fragment names, whatever its inputs are: one of another release may have inputs that this one does not know. */
export function engineOf(fragment: string): string | undefined {
  const text = /[#&]engine=([^&]*)/.exec(fragment)?.[1];
  return isEngine(text) ? text : undefined;
}

/** Reads a fragment, with or without "#". It is undefined when it speaks of no demo. */
export function parse(fragment: string): Experiment | undefined {
  const text = fragment.replace(/^#/, "");
  if (!text.startsWith("demo=")) return undefined;
  const parts = new Map<string, string>();
  for (const part of text.split("&")) {
    const at = part.indexOf("=");
    if (at > 0) parts.set(part.slice(0, at), part.slice(at + 1));
  }
  const engine = parts.get("engine");
  if (engine !== undefined && !isEngine(engine)) throw new BadLink(`engine "${engine}" is not 8 hexadecimal digits`);
  const out: Experiment = {
    demo: decode(parts.get("demo")!),
    ...(engine === undefined ? {} : { engine }),
    seed: count(parts.get("seed") ?? "", "seed"),
    ...course(parts.get("inputs"), parts.get("what-if")),
    at: whole(parts.get("at") ?? "", 6, "moment"),
  };
  if (parts.has("versus") || parts.has("versus-what-if")) out.versus = course(parts.get("versus"), parts.get("versus-what-if"));
  const event = parts.get("event");
  if (event !== undefined) out.event = count(event, "event");
  return out;
}

function course(text = "", whatIf = ""): Course {
  const texts = text.split(";").filter((t) => t !== "");
  if (texts.length > mostInputs) throw new BadLink(`it has ${texts.length} inputs; ${mostInputs} are the most`);
  const inputs = texts.map(parseInput);
  for (let i = 1; i < inputs.length; i++) {
    if (inputs[i]!.at < inputs[i - 1]!.at) throw new BadLink(`input ${i + 1} is before input ${i}`);
  }
  return { inputs, ...(whatIf === "" ? {} : { whatIf: decode(whatIf) }) };
}

function parseInput(text: string): Input {
  const [at = "", kind = "", ...values] = text.split(",");
  if (values.length === 0 && !(kinds as readonly string[]).includes(kind)) {
    throw new BadLink(`"${text}" is not an input; one reads like "20,kill-node,node-2": time, kind, what it is done to`);
  }
  if (!(kinds as readonly string[]).includes(kind)) throw new BadLink(`input "${kind}" is not known; there are ${kinds.join(", ")}`);
  const input: Input = { at: whole(at, 9, "time"), kind: kind as Kind };
  const fields = fieldsOf[input.kind];
  if (values.length > fields.length) throw new BadLink(`"${text}" has too many fields`);
  fields.forEach((field, i) => {
    const raw = values[i] ?? "";
    if (field === "args" && raw !== "") {
      input.args = raw.split("+").map(decode);
      return;
    }
    const value = decode(raw);
    const canBeMissing = optional.has(field) || optionalIn[input.kind]?.includes(field);
    if (value === "" && !canBeMissing) throw new BadLink(`"${text}" lacks its ${field}`);
    if (value === "") return;
    Object.assign(input, { [field]: numbers.has(field) ? count(value, field) : json.has(field) ? parseJson(value, field) : value });
  });
  return input;
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new BadLink(`${what} "${text}" is not JSON`);
  }
}
