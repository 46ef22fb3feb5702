import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine, tailAt } from "./statusline";

test("the last words of a long sentence are never cut", () => {
  for (const [sentence, tail] of [
    ["A Pod is Ready.", ""],
    ["The API server refuses delete pods default/a-deployment-with-a-long-name-7d9c6b8f5-x2k9p: 403 Forbidden.", "ong-name-7d9c6b8f5-x2k9p: 403 Forbidden."],
    ["node-1 is changed: revision 42, of many.", " 42, of many."],
    [`${"長".repeat(60)}409 Conflict`, `${"長".repeat(28)}409 Conflict`],
  ] as const) assert.equal(sentence.slice(tailAt(sentence)), tail);
});

test("what a command prints in lines and columns is one line here", () => {
  const table = oneLine("kubectl prints: NAME   TYPE\nblog   LoadBalancer   10.98.55.118   203.0.113.12   80:31245/TCP   45s");
  assert.equal(table, "kubectl prints: NAME TYPE blog LoadBalancer 10.98.55.118 203.0.113.12 80:31245/TCP 45s");
  assert.equal(table.slice(tailAt(table)), " 203.0.113.12 80:31245/TCP 45s");
});
