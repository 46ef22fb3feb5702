// Loading JSON, compressed or not; loadJson loads each address once. What failed may be tried again.

import { decompressed } from "./gunzip";

const loading = new Map<string, Promise<unknown>>();

export function loadJson<T>(url: string): Promise<T> {
  let known = loading.get(url);
  if (!known) {
    known = fetchJson(url);
    known.catch(() => loading.delete(url));
    loading.set(url, known);
  }
  return known as Promise<T>;
}

/** Fetches JSON, compressed or not. */
export async function fetchJson(url: string): Promise<unknown> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${new URL(url, location.href).pathname}: ${answer.status}`);
  return new Response(await decompressed(answer, url)).json();
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
