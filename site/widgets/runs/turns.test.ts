import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "./turns";

/** Waits until something is so, however busy the machine is, and then for what might still come. */
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isSo(); i++) await new Promise((done) => setTimeout(done, 10));
  await new Promise((done) => setTimeout(done, 20));
}

test("pages take turns: who asks for much keeps nobody from their turn, also who comes later", async () => {
  const done: string[] = [];
  const turns = new Turns<string, number>(async (page, call) => {
    done.push(`${page}${call}`);
    if (page === "a" && call === 1) b.postMessage(null); // another page asks while this is done
  });
  const { port1: b, port2 } = new MessageChannel();
  port2.onmessage = () => [1, 2].forEach((call) => turns.take("b", call));
  for (const call of [1, 2, 3, 4]) turns.take("a", call);
  turns.take("c", 1);
  await until(() => done.length === 7);
  port2.close();
  assert.deepEqual(done.filter((x) => x.startsWith("a")), ["a1", "a2", "a3", "a4"], "each page's in order");
  assert.ok(done.indexOf("c1") < done.indexOf("a3"), done.join(" "));
  assert.ok(done.indexOf("b1") < done.indexOf("a3") && done.indexOf("b2") < done.indexOf("a4"), done.join(" "));
});

test("one call is done at a time, and nothing more of a page that is gone", async () => {
  const done: string[] = [];
  let at = 0;
  const turns = new Turns<string, number>(async (page, call) => {
    assert.equal(++at, 1);
    await new Promise((go) => setTimeout(go, 1));
    at--;
    done.push(`${page}${call}`);
  });
  for (const call of [1, 2, 3]) for (const page of ["a", "b"]) turns.take(page, call);
  turns.drop("a");
  await until(() => done.length === 4);
  assert.deepEqual(done, ["a1", "b1", "b2", "b3"]);
});
