// The worlds of a demo that a reader has: the recording, and a branch for each
// time that they went back and did something else. They make a tree.

import type { Frame, Recording } from "./recording";
import type { Input } from "./scenario";
import { Timeline } from "./timeline";
import { World } from "./world";

export class Worlds {
  readonly recorded = new World("", undefined, []);
  /** All of them, as the tree is told: each before those that leave it, the earlier made first. */
  readonly all: World[] = [this.recorded];
  private made = 0;

  /** Takes a recording, whose marks are the author's. Branches of another layout lose their frames. */
  use(recording: Recording, frames: Frame[]): void {
    const { recorded } = this;
    recorded.timeline = new Timeline(frames);
    recorded.marks = (recording.marks ?? []).toSorted((a, b) => a.frame - b.frame);
    recorded.first = recording.first;
    for (const world of this.all) if (world.branch && world.branch.layout !== recording.layout) world.timeline = new Timeline();
  }

  /** A world that leaves another one at a time, µs. */
  add(parent: World, at: number): World {
    const world = new World(letters(this.made++), parent, parent.before(at));
    world.marks = parent.marks;
    world.first = parent.first;
    this.all.splice(this.all.indexOf(parent) + this.below(parent).length + 1, 0, world);
    return world;
  }

  /** Forgets a world; those that left it now leave the one that it left. */
  drop(world: World): void {
    const at = this.all.indexOf(world);
    if (at < 1) return;
    for (const other of this.all) if (other.parent === world) other.parent = world.parent;
    this.all.splice(at, 1);
  }

  /** The world in which the same was done. */
  find({ seed, inputs }: { seed: number; inputs: readonly Input[] }): World | undefined {
    const wanted = JSON.stringify(inputs);
    return this.all.find(({ branch }) => branch?.scenario.seed === seed && JSON.stringify(branch.inputs) === wanted);
  }

  /** How far a world is from the recording. */
  depth(world: World): number {
    return world.parent ? this.depth(world.parent) + 1 : 0;
  }

  private below(world: World): World[] {
    return this.all.filter((other) => other.parent === world).flatMap((other) => [other, ...this.below(other)]);
  }
}

/** A, B … Z, AA, AB … */
function letters(n: number): string {
  return (n >= 26 ? letters(Math.floor(n / 26) - 1) : "") + String.fromCharCode(65 + (n % 26));
}
