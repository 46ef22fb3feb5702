// The player's signs, drawn on a grid of 20 by 20 with a line of 1.75. The signs
// of the event log are those of the picture: a request is a dot, an answer a
// square, a watch event a diamond.

import { svgElement } from "./dom";

type Part = ["path" | "circle" | "rect", Record<string, string | number>];

const solid = { fill: "currentColor", stroke: "none" };

const icons = {
  play: [["path", { d: "M6 3.9v12.2c0 .8.9 1.3 1.6.8l9-6.1c.6-.4.6-1.2 0-1.6l-9-6.1c-.7-.5-1.6 0-1.6.8z", ...solid }]],
  pause: [["rect", { x: 5, y: 3.5, width: 3.5, height: 13, rx: 1, ...solid }], ["rect", { x: 11.5, y: 3.5, width: 3.5, height: 13, rx: 1, ...solid }]],
  stepBack: [["path", { d: "M12.5 4.5L7 10l5.5 5.5" }]],
  stepForward: [["path", { d: "M7.5 4.5L13 10l-5.5 5.5" }]],
  previousMark: [["path", { d: "M4.5 4.5v11M15.5 4.5L10 10l5.5 5.5" }], ["circle", { cx: 4.5, cy: 10, r: 0.1 }]],
  nextMark: [["path", { d: "M15.5 4.5v11M4.5 4.5L10 10l-5.5 5.5" }]],
  link: [["path", { d: "M8.5 11.5a3.2 3.2 0 0 0 4.6 0l2.7-2.7a3.25 3.25 0 0 0-4.6-4.6l-.9.9M11.500 8.500a3.2 3.2 0 0 0-4.600 0l-2.700 2.700a3.250 3.250 0 0 0 4.600 4.600l.900-.900" }]],
  lanes: [["path", { d: "M3.500 5h6M12.500 5h4M3.500 10h2M8.500 10h8M3.500 15h9" }]],
  closer: [["circle", { cx: 9, cy: 9, r: 5.500 }], ["path", { d: "M13.200 13.200l3.300 3.300M6.700 9h4.600M9 6.700v4.600" }]],
  farther: [["circle", { cx: 9, cy: 9, r: 5.500 }], ["path", { d: "M13.200 13.200l3.300 3.300M6.700 9h4.600" }]],
  whole: [["path", { d: "M3.500 5v10M16.500 5v10M6 10h8M8 7.800L5.800 10 8 12.200M12 7.800L14.200 10 12 12.200" }]],
  keys: [["circle", { cx: 10, cy: 10, r: 7 }], ["path", { d: "M7.900 8a2.100 2.100 0 1 1 3 1.900c-.600.300-.900.700-.900 1.300M10 13.700v.100" }]],
  share: [["path", { d: "M10 12.500V3.500M6.500 6.500L10 3l3.500 3.500M6 9.500H4.500v7h11v-7H14" }]],
  embed: [["path", { d: "M7 6l-4 4 4 4M13 6l4 4-4 4" }]],
  terminal: [["path", { d: "M4 5.500l4 4-4 4M10 14.500h6" }]],
  close: [["path", { d: "M5 5l10 10M15 5L5 15" }]],
  reset: [["path", { d: "M4 4v4.500h4.500M4.600 8.200a6.200 6.200 0 1 1-.700 3.300" }]],
  power: [["path", { d: "M10 3v6M6.200 5.500a6 6 0 1 0 7.600 0" }]],
  cut: [["path", { d: "M3 10h4.500M12.500 10h4.500M8 6.500l4 7" }]],
  halt: [["rect", { x: 5.5, y: 5.5, width: 9, height: 9, rx: 1.5 }]],
  crash: [["path", { d: "M11 2.5L5 11.500h4.500L9 17.500 15 8.500h-4.500z" }]],
  slow: [["circle", { cx: 10, cy: 10, r: 6.500 }], ["path", { d: "M10 6.200V10l2.600 1.800" }]],
  bar: [["circle", { cx: 10, cy: 10, r: 6.500 }], ["path", { d: "M5.500 14.500l9-9" }]],
  out: [["path", { d: "M9 4H4.500v12H9M8.500 10H17M13.500 6.500L17 10l-3.500 3.500" }]],
  fill: [["rect", { x: 5, y: 3, width: 10, height: 14, rx: 1.5 }], ["path", { d: "M8 7v6M12 10v3" }]],
  bin: [["path", { d: "M4 6h12M8 6V4h4v2M6 6l.700 10h6.600L14 6" }]],
  rename: [["path", { d: "M4 16l1-3.500L13.500 4l2.500 2.500L7.500 15zM11.500 6l2.500 2.500" }]],
  // of the event log
  input: [["path", { d: "M10 3l2 5 5 2-5 2-2 5-2-5-5-2 5-2z", ...solid }]],
  component: [["rect", { x: 4, y: 4, width: 12, height: 12, rx: 3 }]],
  log: [["path", { d: "M5 6h10M5 10h10M5 14h6" }]],
  request: [["circle", { cx: 10, cy: 10, r: 4.5, ...solid }]],
  reply: [["rect", { x: 6, y: 6, width: 8, height: 8, rx: 1.5 }]],
  store: [["path", { d: "M4.500 6v8c0 1.400 2.500 2.500 5.500 2.500s5.500-1.100 5.500-2.500V6" }], ["path", { d: "M4.500 6c0 1.400 2.500 2.500 5.500 2.500S15.500 7.400 15.500 6 13 3.500 10 3.500 4.500 4.600 4.500 6z" }]],
  watch: [["path", { d: "M10 4.500l5.500 5.500-5.500 5.500L4.500 10z", ...solid }]],
  cache: [["path", { d: "M5 4.500h10v11H5zM5 8.200h10M5 11.800h10" }]],
  queue: [["path", { d: "M3.500 7h3.500v6H3.500zM8.500 7H12v6H8.500zM13.500 7H17v6h-3.500z" }]],
  scheduler: [["path", { d: "M3.500 10.500l4 4 9-9" }]],
  node: [["path", { d: "M3.500 4.500h13v4.500h-13zM3.500 11h13v4.500h-13z" }]],
} satisfies Record<string, Part[]>;

export type Icon = keyof typeof icons;

export function icon(name: Icon): SVGSVGElement {
  const parts: readonly Part[] = icons[name];
  return svgElement(
    "svg",
    { class: `kw-icon kw-icon-${name}`, viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true", focusable: "false",
      fill: "none", stroke: "currentColor", "stroke-width": 1.75, "stroke-linecap": "round", "stroke-linejoin": "round" },
    ...parts.map(([tag, attrs]) => svgElement(tag, attrs)),
  );
}

/** The sign of an event of the log, by its op. */
export function iconOf(op: string): Icon {
  if (op === "request.send" || op === "request.receive") return "request";
  if (op === "request.reply" || op === "request.done") return "reply";
  const family = op.split(".")[0];
  switch (family) {
    case "input": case "component": case "log": case "store": case "watch": case "cache": case "queue":
      return family;
    case "scheduling": case "pod":
      return "scheduler";
    case "node":
      return "scheduler";
  }
  return "node";
}
