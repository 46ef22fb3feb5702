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

/** For how long nothing may come, ms: then it is given up. A slow download is no failure. */
const patienceMs = 9000;

/** Fetches JSON, compressed or not. */
export async function fetchJson(url: string): Promise<unknown> {
  const failed = (why: string | number) => new Error(`${new URL(url, location.href).pathname}: ${why}`);
  const control = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => control.abort(failed("nothing comes")), patienceMs);
  };
  wait();
  try {
    const answer = await fetch(url, { signal: control.signal });
    if (!answer.ok) throw failed(answer.status);
    const watch = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({ transform: (part, to) => { wait(); to.enqueue(part); } });
    return await new Response((await decompressed(answer, url)).pipeThrough(watch)).json();
  } finally {
    clearTimeout(timer);
  }
}
