// Loading JSON, compressed or not; loadJson loads each address once. What failed may be tried again.

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

/** Fetches JSON. What begins as gzip does is decompressed: what is large lies so on the host (generator/compressed), unless that decodes it itself. */
export async function fetchJson(url: string): Promise<unknown> {
  const answer = await fetch(url);
  const at = () => new URL(url, location.href).pathname;
  if (!answer.ok) throw new Error(`${at()}: ${answer.status}`);
  const data = await answer.blob();
  const [one, two] = new Uint8Array(await data.slice(0, 2).arrayBuffer());
  if (one !== 0x1f || two !== 0x8b) return new Response(data).json();
  if (!("DecompressionStream" in globalThis)) throw new Error(`${at()}: this browser has no DecompressionStream (Chrome 80, Firefox 113 and Safari 16.4 have it)`);
  return new Response(data.stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
