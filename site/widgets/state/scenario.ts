// What a demo is and what is done to it: the types are playground/demo/scenario's and playground/cluster's.

export { levelAll as everything, levelTotals as totals } from "../generated/trace";
export { kinds } from "../generated/cluster";
export type { Input, Kind } from "../generated/cluster";
export type { Control, Exercise, Part, Scenario, Step, WhatIf } from "../generated/scenario";
