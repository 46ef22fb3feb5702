// Log lines as klog prints them, which is what `kubectl logs` shows of the real
// control plane: I0115 09:00:13.007203       1 replicas.go:39] "Too few replicas" replicaSet="default/web" need=3
// Upstream: k8s.io/klog/v2, internal/buffer and internal/serialize.

import { attrs, type Call, type Frame, type Value } from "../state/recording";

/** What a recording says of a line that the reader already sees in its head. */
const inHead = new Set(["message", "v", "error"]);

/** An event as the lines that it is in a log; none when nothing logs it. */
export function klog(frame: Frame, epoch: string, call?: Call): string[] {
  const say = (severity: string, message: string, pairs: [string, Value][]) =>
    `${severity}${stamp(frame.at, epoch)} ${"1".padStart(7)} ${place(call)}] ${JSON.stringify(message)}${pairs.map(([k, v]) => pair(k, v)).join("")}`;
  const all = attrs(frame);
  const get = (key: string) => all.find(([k]) => k === key)?.[1];
  if (frame.op === "log") {
    const error = get("error");
    const pairs = all.filter(([k]) => !inHead.has(k));
    if (error !== undefined && error !== "") pairs.unshift(["err", error]);
    return [say(error === undefined ? "I" : "E", String(get("message")), pairs)];
  }
  // What upstream logs of scores at verbosity 10: pkg/scheduler/schedule_one.go, prioritizeNodes.
  if (frame.op === "node.score") {
    const pod = frame.o?.replace(/^pods /, "") ?? "";
    const node = get("node") ?? "";
    const plugins = all.filter(([k]) => k !== "node" && k !== "score");
    return [
      ...plugins.map(([plugin, value]) =>
        say("I", "Plugin scored node for pod", [["pod", pod], ["plugin", plugin], ["node", node], ["score", parseInt(String(value), 10)]])),
      say("I", "Calculated node's final score for pod", [["pod", pod], ["node", node], ["score", get("score") ?? 0]]),
    ];
  }
  return [];
}

const two = (n: number, width = 2) => String(n).padStart(width, "0");

/** mmdd hh:mm:ss.uuuuuu */
function stamp(us: number, epoch: string): string {
  const t = new Date(Date.parse(epoch) + Math.floor(us / 1000));
  return `${two(t.getUTCMonth() + 1)}${two(t.getUTCDate())} ${two(t.getUTCHours())}:${two(t.getUTCMinutes())}:${two(t.getUTCSeconds())}.${two(t.getUTCMilliseconds(), 3)}${two(us % 1000, 3)}`;
}

const place = (call: Call | undefined) => (call ? `${call[0].split("/").at(-1)}:${call[1]}` : "???:1");

function pair(key: string, value: Value): string {
  if (typeof value !== "string") return ` ${key}=${value}`;
  if (!value.includes("\n")) return ` ${key}=${JSON.stringify(value)}`;
  return ` ${key}=<\n${value.split("\n").map((line) => `\t${line}\n`).join("")} >`;
}
