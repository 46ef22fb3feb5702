// node:test, as JavaScript that generator/dev/unit makes of this.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { unpacker } from "./table";
import { unzstd } from "./zstd";

/** generator/build/compressed writes it, and holds that it is this text. */
const packed = new Uint8Array(readFileSync("generator/build/compressed/testdata/lines.zst"));
const text = Array.from({ length: 40_000 }, (_, i) => `line ${i} of ${(i * i) % 977}\n`).join("");

async function through(bytes: Uint8Array<ArrayBuffer>, size: number): Promise<string> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({ pull: (to) => { const next = chunks.shift(); if (next) to.enqueue(next); else to.close(); } });
  return new Response(stream.pipeThrough(unzstd())).text();
}

test("what comes in parts of any size is decompressed", async () => {
  for (const size of [1, 7, 1000, 65_536, packed.length]) assert.ok((await through(packed, size)) === text, `parts of ${size} bytes`);
});

test("the table of functions becomes what it was, in pieces of any size", () => {
  const file = (name: string) => new Uint8Array(readFileSync(`generator/build/assets/testdata/table.${name}`)); // table_test.go writes both
  const [small, plain] = [file("packed"), file("plain")];
  assert.ok(small.length > plain.length && !Buffer.from(small).includes(Buffer.from(plain.subarray(0, 200))));
  for (const size of [1, 3, 50, small.length]) {
    const unpack = unpacker();
    const chunks = [small.slice(0, 16 + size)];
    for (let at = 16 + size; at < small.length; at += size) chunks.push(small.slice(at, at + size));
    assert.deepEqual(Buffer.concat(chunks.flatMap((chunk) => unpack(chunk))), Buffer.from(plain), `${size}`);
  }
  for (const size of [1, 50, plain.length]) {
    const unpack = unpacker();
    const out = [];
    for (let at = 0; at < plain.length; at += size) out.push(...unpack(plain.slice(at, at + size)));
    assert.deepEqual(Buffer.concat(out), Buffer.from(plain), "what is not packed is handed on");
  }
});

test("what is not compressed is handed on", async () => {
  for (const plain of ["", "short", text]) assert.ok((await through(new TextEncoder().encode(plain), 5000)) === plain);
});

test("what ends early is an error", async () => {
  for (const length of [30, packed.length >> 1, packed.length - 1]) {
    await assert.rejects(through(packed.subarray(0, length), 1000), /ended early/);
  }
});
