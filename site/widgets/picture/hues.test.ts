import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import table from "../../words/hues.json";
import { find, hues, pattern } from "./hues";

const found = (text: string, lang: "en" | "ja") => [...find(text, pattern(table[lang]))].map(({ hue, from, to }) => `${hue}: ${text.slice(from, to)}`);

test("names are found whole, the longest first", () => {
  assert.deepEqual(found("Controllers ask the API server; the ReplicaSet controller does, too.", "en"),
    ["controller: Controllers", "api: API server", "controller: ReplicaSet controller"]);
  assert.deepEqual(found("kube-scheduler binds it to node-2, whose kubelet reports Ready.", "en"),
    ["scheduler: kube-scheduler", "node: node-2", "node: kubelet", "ready: Ready"]);
  assert.deepEqual(found("replicaset-controller: kubelet/node-1 is nodeless, unscheduled, and already there.", "en"),
    ["controller: replicaset-controller", "node: kubelet", "node: node-1"]);
  assert.deepEqual(found("ReplicaSet コントローラーは API サーバーに尋ね、コントローラーマネージャーがノードを見ます。", "ja"),
    ["controller: ReplicaSet コントローラー", "api: API サーバー", "controller: コントローラーマネージャー", "node: ノード"]);
});

test("each hue has enough contrast on what text stands on, light and dark", () => {
  const css = readFileSync(join(process.cwd(), "site/widgets/picture/hues.css"), "utf8");
  const light = ["#ffffff", "#f5f6f8", "#eaf0fc"];
  const dark = ["#14171d", "#1c2129", "#1d2842"];
  const channel = (c: number) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = (hex: string) => [0.2126, 0.7152, 0.0722]
    .reduce((sum, part, i) => sum + part * channel(parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16) / 255), 0);
  const contrast = (a: string, b: string) => {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  for (const hue of hues) {
    const values = new RegExp(`kw-${hue}\\) .*light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css);
    assert.ok(values, `${hue} has no hue`);
    for (const on of light) assert.ok(contrast(values[1]!, on) >= 4.5, `${hue} on ${on}: ${contrast(values[1]!, on).toFixed(2)}`);
    for (const on of dark) assert.ok(contrast(values[2]!, on) >= 4.5, `${hue} on ${on}: ${contrast(values[2]!, on).toFixed(2)}`);
  }
});
