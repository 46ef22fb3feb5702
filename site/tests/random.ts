// Chance that can be had again: for tests.

export class Random {
  constructor(private state: number) {}

  /** A whole number from 0 to n-1 (splitmix32). */
  below(n: number): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let z = this.state ^ (this.state >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    z = Math.imul(z, 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) % n;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

/** The seeds to try: SEED=… alone, or some fixed ones and one of the day. */
export function seeds(): number[] {
  const { process } = globalThis as unknown as { process: { env: Record<string, string | undefined> } };
  const wanted = process.env["SEED"];
  return wanted ? [Number(wanted)] : [1, 2, 3, 4, 5, Date.now() % 1e9];
}
