// The control plane's table of functions lies in the site as differences (generator/build/assets/table.go),
// which are a sixth smaller. Here it becomes what Go made of it, when it has come as a whole.

type Bytes = Uint8Array<ArrayBuffer>;

/** "\0kw1", then the table's place, the number of functions, and the size. */
const [magic, headBytes] = [0x31776b00, 16];
const [entryBytes, nameAt] = [8, 4];

/** Makes the WebAssembly of what is packed so, given piece by piece, and leaves alone what is not. */
export function unpacker(): (chunk: Bytes) => Bytes[] {
  let [start, count, position] = [Infinity, 0, -1];
  let table: Bytes = new Uint8Array(0);
  return (chunk) => {
    if (position < 0) {
      position = 0;
      const head = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
      if (chunk.length >= headBytes && head.getUint32(0, true) === magic) {
        [start, count] = [head.getUint32(4, true), head.getUint32(8, true)];
        table = new Uint8Array(head.getUint32(12, true));
        chunk = chunk.subarray(headBytes);
      }
    }
    const out: Bytes[] = [];
    const end = start + table.length;
    while (chunk.length > 0) {
      const isIn = position >= start && position < end;
      const piece = chunk.subarray(0, (position < start ? start : isIn ? end : Infinity) - position);
      if (isIn) table.set(piece, position - start);
      else out.push(piece);
      position += piece.length;
      chunk = chunk.subarray(piece.length);
      if (isIn && position === end) out.push(sum(table, count));
    }
    return out;
  };
}

/** Puts numbers in place of differences. */
function sum(table: Bytes, count: number): Bytes {
  const view = new DataView(table.buffer);
  let [code, record, name] = [0, 0, 0];
  const add = (at: number, to: number) => {
    const n = (view.getUint32(at, true) + to) >>> 0;
    view.setUint32(at, n, true);
    return n;
  };
  for (let at = 0; at < count * entryBytes; at += entryBytes) {
    code = add(at, code);
    record = add(at + 4, record);
    add(record, code);
    name = add(record + nameAt, name);
  }
  return table;
}
