import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeQR } from "qr/decode.js";
import { qrOf } from "./qrcode";

/** The SVG as pixels, so many for each module. */
function pixels(svg: string, scale: number) {
  const size = Number(/viewBox="0 0 (\d+)/.exec(svg)![1]);
  const width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let i = 0; i < scale * scale; i++) {
      const at = ((Number(y) * scale + Math.floor(i / scale)) * width + Number(x) * scale + (i % scale)) * 4;
      data.fill(0, at, at + 3);
    }
  }
  return { width, height: width, data };
}

test("a reader of QR codes reads the address", () => {
  const long = `https://book.example/embed/ja/replicaset-scale/#demo=replicaset-scale&seed=23&do=${"scale~web~5,".repeat(40)}&at=13006`;
  for (const address of ["https://book.example/embed/replicaset-scale/?start=too-few", long]) assert.equal(decodeQR(pixels(qrOf(address), 4)), address);
});

test("the code is dark on light with a quiet zone, and its title is the address", () => {
  const svg = qrOf("https://book.example/embed/x/?a=1&b=2");
  assert.match(svg, /<title>https:\/\/book\.example\/embed\/x\/\?a=1&amp;b=2<\/title><rect width="\d+" height="\d+" fill="#fff"\/>/);
  const places = [...svg.matchAll(/M(\d+) (\d+)/g)].flatMap(([, x, y]) => [Number(x), Number(y)]);
  assert.equal(Math.min(...places), 4);
  assert.equal(Math.max(...places), Number(/viewBox="0 0 (\d+)/.exec(svg)![1]) - 5);
});

test("an address that no code holds is an error", () => {
  assert.throws(() => qrOf(`https://book.example/${"x".repeat(2400)}`));
});
