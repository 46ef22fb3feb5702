// What the site keeps compressed (generator/compressed) is decompressed here.

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** What the answer from an address says, decompressed if it begins as gzip does: some hosts decode such files themselves. */
export async function decompressed(answer: Response, url: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const reader = answer.body!.getReader();
  let next: Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>> | undefined = reader.read();
  const { value } = await next;
  const whole = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const part = await (next ?? reader.read());
      next = undefined;
      if (part.done) controller.close();
      else controller.enqueue(part.value);
    },
    cancel: (why) => reader.cancel(why),
  });
  if (!value || !isGzip(value)) return whole;
  if (!("DecompressionStream" in globalThis)) {
    throw new Error(`${new URL(url, location.href).pathname}: this browser has no DecompressionStream (Chrome 80, Firefox 113 and Safari 16.4 have it)`);
  }
  return whole.pipeThrough(new DecompressionStream("gzip"));
}
