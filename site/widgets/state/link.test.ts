import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Random, seeds } from "../../tests/random";
import { BadLink, engineOf, parse, print, type Course, type Experiment } from "./link";
import type { Input } from "./scenario";

test("a link is readable", () => {
  const experiment: Experiment = {
    demo: "replicaset-scale", seed: 23, at: 21_003_215, event: 812,
    inputs: [
      { at: 16_250_000_000, kind: "scale", resource: "replicasets", namespace: "default", name: "web", replicas: 8 },
      { at: 20_000_000_000, kind: "kill-node", node: "node-2" },
      { at: 20_000_001_000, kind: "drop-watch", component: "kube-scheduler" },
      { at: 20_500_000_000, kind: "delete", resource: "pods", namespace: "default", name: "web-*" },
      { at: 21_000_000_000, kind: "kubectl", args: ["scale", "deploy/web", "--replicas=5"] },
      { at: 21_500_000_000, kind: "registry-down" },
    ],
  };
  const text = "demo=replicaset-scale&seed=23&inputs=16.25,scale,replicasets,default,web,8;20,kill-node,node-2;" +
    "20.000001,drop-watch,kube-scheduler;20.5,delete,pods,default,web-*;" +
    "21,kubectl,scale+deploy/web+--replicas%3D5;21.5,registry-down&at=21.003215&event=812";
  assert.equal(print(experiment), text);
  assert.deepEqual(parse(`#${text}`), experiment);
});

test("a link to two worlds is readable", () => {
  const scale = { at: 16_250_000_000, kind: "scale", resource: "replicasets", namespace: "default", name: "web", replicas: 8 } as const;
  const experiment: Experiment = { demo: "expectations", seed: 1, at: 17_000_001, inputs: [], versus: { inputs: [scale], whatIf: "forgetful" } };
  const text = "demo=expectations&seed=1&versus=16.25,scale,replicasets,default,web,8&versus-what-if=forgetful&at=17.000001";
  assert.equal(print(experiment), text);
  assert.deepEqual(parse(`#${text}`), experiment);
  const other: Experiment = { demo: "expectations", seed: 1, at: 0, inputs: [scale], whatIf: "forgetful", versus: { inputs: [] } };
  assert.equal(print(other), "demo=expectations&seed=1&inputs=16.25,scale,replicasets,default,web,8&what-if=forgetful&versus=&at=0");
  assert.deepEqual(parse(`#${print(other)}`), other);
});

// The same links are read in Go: playground/demo/link.
const both = JSON.parse(readFileSync("playground/demo/link/testdata/links.json", "utf8")) as {
  good: { link: string; experiment: Experiment }[];
  bad: { link: string; says: string }[];
};
for (const { link, experiment } of both.good) {
  test(`a link is the same here and in Go: ${link}`, () => {
    assert.deepEqual(parse(link), experiment);
    assert.equal(print(experiment), link);
  });
}
for (const { link, says } of both.bad) {
  test(`what is wrong with a link is the same here and in Go: ${link}`, () => {
    assert.throws(() => parse(link), (error: Error) => error instanceof BadLink && error.message.startsWith(says));
  });
}

test("the engine of a link is known whatever else is wrong with it", () => {
  assert.equal(engineOf("#demo=a&engine=8c2f01ab&seed=1&inputs=3,explode,node-1&at=1"), "8c2f01ab");
  for (const text of ["#demo=a&seed=1&at=1", "#demo=a&engine=&seed=1", "#demo=a&engine=../x&seed=1", "#demo=a&what-if=engine%3D8c2f01ab"]) {
    assert.equal(engineOf(text), undefined, text);
  }
});

test("what is not a link to an experiment is left alone", () => {
  for (const text of ["", "#", "#heading", "#demo-replicaset-scale-running"]) assert.equal(parse(text), undefined, text);
});

const bad: [text: string, message: RegExp][] = [
  ["#demo=a", /seed/],
  ["#demo=a&seed=1", /moment/],
  ["#demo=a&seed=x&at=1", /seed "x"/],
  ["#demo=a&seed=1&at=1.2345678", /moment "1.2345678"/],
  ["#demo=%&seed=1&at=1", /encoded/],
  ["#demo=a&seed=1&at=1&inputs=garbage", /"garbage" is not an input; one reads like/],
  ["#demo=a&seed=1&at=1&inputs=3,explode", /"3,explode" is not an input/],
  ["#demo=a&seed=1&at=1&inputs=3,explode,node-1", /"explode" is not known; there are .*kill-node/],
  ["#demo=a&seed=1&at=1&inputs=3,scale,rs,default,web", /lacks its replicas/],
  ["#demo=a&seed=1&at=1&inputs=3,scale,rs,default,web,-1", /replicas "-1"/],
  ["#demo=a&seed=1&at=1&inputs=3,stop,a,b", /too many fields/],
  ["#demo=a&seed=1&at=1&inputs=3,stop,a;2,start,a", /input 2 is before input 1/],
  ["#demo=a&seed=1&at=1&inputs=3,apply,{", /not JSON/],
  ["#demo=a&seed=1&at=1&versus=3,stop,a;2,start,a", /input 2 is before input 1/],
  ["#demo=a&seed=1&at=1&versus=garbage", /"garbage" is not an input/],
  ["#demo=a&seed=1&at=1&what-if=%", /encoded/],
  ["#demo=a&seed=1&at=1&inputs=3,reconfigure,[", /profiles "\[" is not JSON/],
  ["#demo=a&seed=1&at=1&inputs=3,kubectl", /lacks its args/],
  ["#demo=a&seed=1&at=1&inputs=3,kubectl,get+%", /encoded/],
  ["#demo=a&seed=1&at=1&inputs=3,load,deployments,default,web", /lacks its value/],
  ["#demo=a&seed=1&at=1&inputs=3,registry-down,x", /too many fields/],
  ["#demo=a&seed=1&at=999999999", /more than a year away/],
  ["#demo=a&seed=1&at=1&inputs=31536001,registry-down", /more than a year away/],
  [`#demo=a&seed=1&at=1&inputs=${"1,registry-down;".repeat(5000)}`, /it has 5000 inputs; 1000 are the most/],
  ["#demo=a&seed=1&at=1&inputs=3,request", /lacks its url/],
];
for (const [text, message] of bad) {
  test(`a bad link says what is wrong: ${text}`, () => {
    assert.throws(() => parse(text), (error: Error) => error instanceof BadLink && message.test(error.message));
  });
}

function randomInput(random: Random, at: number): Input {
  const name = () => random.pick(["web", "web-*", "a,b;c", "ü/×", "100%", "node-1", "x&at=9", "#", "名前"]);
  switch (random.below(17)) {
    case 0: return { at, kind: "scale", resource: name(), name: name(), replicas: random.below(100), ...(random.below(2) ? { namespace: name() } : {}) };
    case 1: return { at, kind: "delete", resource: name(), namespace: name(), name: name(), ...(random.below(2) ? { grace: random.below(60) } : {}) };
    case 2: return { at, kind: random.pick(["kill-node", "start-node", "terminate-instance"] as const), node: name() };
    case 3: return { at, kind: "drop-watch", component: name(), ...(random.below(2) ? { resource: name() } : {}) };
    case 4: return { at, kind: "apply", manifest: { kind: name(), list: [1, null, name()], text: "a,b;&\n\"" } };
    case 5: return { at, kind: "kubectl", args: ["get", ...Array.from({ length: random.below(4) }, () => random.pick(["", "+", "a b", name()]))] };
    case 6: return { at, kind: "kubectl", args: ["apply", "-f", name()], manifest: { kind: name() } };
    case 7: return { at, kind: random.pick(["crash-container", "use-memory"] as const), resource: "pods", namespace: name(), name: name(), value: name(),
      ...(random.below(2) ? { container: name() } : {}) };
    case 8: return { at, kind: random.pick(["registry-down", "registry-up"] as const) };
    case 9: return { at, kind: random.pick(["lose-image", "restore-image"] as const), name: name() };
    case 10: return { at, kind: random.pick(["fill-memory", "fill-disk", "slow-kubelet"] as const), node: name(), value: name() };
    case 11: return { at, kind: "load", resource: name(), namespace: name(), name: name(), value: "1500m" };
    case 12: return { at, kind: "request", url: `http://${name()}`, ...(random.below(2) ? { from: name() } : {}) };
    case 13: return { at, kind: "reconfigure", profiles: [{ schedulerName: name() }] };
    case 14: return { at, kind: "patch", resource: name(), name: name(), manifest: { spec: { paused: true } },
      ...(random.below(2) ? { namespace: name() } : {}) };
    case 15: return { at, kind: "own", resource: name(), namespace: name(), name: name(), value: name() };
    default: return { at, kind: random.pick(["stop", "start"] as const), component: name() };
  }
}

for (const seed of seeds()) {
  test(`every experiment survives its link, through a real URL (SEED=${seed})`, () => {
    const random = new Random(seed);
    for (let i = 0; i < 200; i++) {
      let at = 0;
      const course = (): Course => ({
        inputs: Array.from({ length: random.below(4) }, () => randomInput(random, (at += random.below(2 ** 31)))),
        ...(random.below(2) ? { whatIf: random.pick(["forgetful", "a&b=;,", "名前"]) } : {}),
      });
      const experiment: Experiment = {
        demo: random.pick(["replicaset-scale", "a b", "デモ&=#"]), seed: random.below(2 ** 31), at: random.below(2 ** 31),
        ...course(),
        ...(random.below(2) ? { versus: course() } : {}),
        ...(random.below(2) ? { event: random.below(9999) } : {}),
      };
      const url = new URL(`https://example.org/x/#${print(experiment)}`);
      assert.deepEqual(parse(url.hash), experiment, `seed ${seed}, number ${i}: ${url.hash}`);
    }
  });

  test(`no fragment breaks the reader (SEED=${seed})`, () => {
    const random = new Random(seed);
    const good = "demo=a&seed=1&inputs=16.25,scale,replicasets,default,web,8;20,kill-node,node-2&what-if=a&versus=3,stop,a&versus-what-if=b&at=21.003215&event=812";
    for (let i = 0; i < 2000; i++) {
      const text = [...good];
      for (let n = 1 + random.below(4); n > 0; n--) {
        const at = random.below(text.length);
        text.splice(at, random.below(3), ...random.pick(["", "%", "&", ",", ";", "=", "9", "é", "\u0000"]));
      }
      try {
        parse(text.join(""));
      } catch (error) {
        assert.ok(error instanceof BadLink, `seed ${seed}, number ${i}: ${text.join("")}: ${String(error)}`);
      }
    }
  });
}
