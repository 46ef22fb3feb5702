// The control plane lies in the site as Zstandard (generator/build/compressed): a quarter
// smaller than as gzip. No browser decompresses that for scripts, so it is done
// here, block by block as they come: the browser compiles meanwhile.

import { readBlock, readHeader, type Frame } from "./fzstd.mjs";
import { unpacker } from "./table";

type Bytes = Uint8Array<ArrayBuffer>;

/** A frame's header has at most 18 bytes, a block's 3. */
const [headerBytes, blockBytes] = [18, 3];

/** Decompresses what is one frame of Zstandard that says how large it is, and hands on what is none. */
export function unzstd(): TransformStream<Bytes, Bytes> {
  let had: Bytes = new Uint8Array(1 << 16);
  let length = 0;
  let isOther = false;
  let frame: Frame | undefined;
  let out: Bytes | undefined;
  const unpack = unpacker();
  const take = (chunk: Bytes) => {
    if (length + chunk.length > had.length) {
      const more = new Uint8Array(Math.max(had.length * 2, length + chunk.length));
      more.set(had.subarray(0, length));
      had = more;
    }
    had.set(chunk, length);
    length += chunk.length;
  };
  const begin = () => {
    const isFrame = had[0] === 0x28 && had[1] === 0xb5 && had[2] === 0x2f && had[3] === 0xfd;
    if (!isFrame) return (isOther = true);
    const header = readHeader(had.subarray(0, length), 0) as Frame;
    out = new Uint8Array(header.u);
    frame = Object.assign(header, { w: out, e: 0 });
    return true;
  };
  return new TransformStream<Bytes, Bytes>({
    transform(chunk, controller) {
      if (isOther) return controller.enqueue(chunk);
      take(chunk);
      if (!frame && (length < headerBytes || (begin() && isOther))) {
        if (isOther) controller.enqueue(had.slice(0, length));
        return;
      }
      const from = frame!.y;
      const isThere = () => length - frame!.b >= blockBytes;
      let isWhole = frame!.l === 1;
      while (!isWhole && isThere() && readBlock(had.subarray(0, length), frame!, out!)) {
        frame!.e = frame!.y;
        isWhole = frame!.l === 1;
      }
      if (!isWhole) frame!.l = 0; // of a block that is not there yet
      if (frame!.y > from) for (const piece of unpack(out!.slice(from, frame!.y))) controller.enqueue(piece);
    },
    flush(controller) {
      if (!isOther && !frame && length > 0) controller.enqueue(had.slice(0, length));
      if (frame && frame.l !== 1) throw new Error("the download ended early");
    },
  });
}
