import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { fetchJson, loadJson } from "./load";

/** A host that answers with these, one after the other. */
function host(...answers: (Response | Error)[]): void {
  Object.assign(globalThis, {
    location: { href: "https://book.example/en/" },
    fetch: async () => {
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
}

const what = { name: "レプリカ", many: Array.from({ length: 10_000 }, (_, i) => i) };
const packed = () => new Response(new Uint8Array(gzipSync(JSON.stringify(what))), { headers: { "Content-Type": "application/gzip" } });

test("a file is read compressed, as it is, and decoded by its host", async () => {
  for (const answer of [packed(), Response.json(what), new Response(JSON.stringify(what), { headers: { "Content-Type": "application/gzip" } })]) {
    host(answer);
    assert.deepEqual(await fetchJson("/demos/d/wide.json.gz"), what);
  }
});

test("what is broken, or not there, is an error that names the file", async () => {
  host(new Response(new Uint8Array(gzipSync(JSON.stringify(what)).subarray(0, 500))));
  await assert.rejects(fetchJson("/demos/d/wide.json.gz"));
  host(new Response("", { status: 404 }));
  await assert.rejects(fetchJson("/demos/d/wide.json.gz?v=1"), { message: "/demos/d/wide.json.gz: 404" });
});

test("a browser that cannot decompress says so, and reads what is not compressed", async () => {
  const { DecompressionStream } = globalThis;
  Reflect.deleteProperty(globalThis, "DecompressionStream");
  try {
    host(packed(), Response.json(what));
    await assert.rejects(fetchJson("/demos/d/wide.json.gz"), /^Error: \/demos\/d\/wide\.json\.gz: this browser has no DecompressionStream/);
    assert.deepEqual(await fetchJson("/phrases.json"), what);
  } finally {
    Object.assign(globalThis, { DecompressionStream });
  }
});

test("an address is loaded once, and again when it failed", async () => {
  host(new TypeError("offline"), packed());
  await assert.rejects(loadJson("/a.json.gz"), /offline/);
  const first = loadJson("/a.json.gz");
  assert.equal(loadJson("/a.json.gz"), first);
  assert.deepEqual(await first, what);
});
