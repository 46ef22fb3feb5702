// Who changes something tells it, and who shows it listens: the parts of a player
// do not know each other.

type Listener = (value: never) => void;

/** C has a value for each change; undefined where its name says all. */
export class Events<C extends object> {
  private readonly listeners = new Map<keyof C, Listener[]>();

  /** Has something done at each of these changes. Listeners are called in the order in which they came. */
  on<K extends keyof C>(changes: K | readonly K[], act: (value: C[K]) => void): void {
    for (const change of [changes].flat() as K[]) {
      const all = this.listeners.get(change);
      if (all) all.push(act as Listener);
      else this.listeners.set(change, [act as Listener]);
    }
  }

  emit<K extends keyof C>(...[change, value]: C[K] extends undefined ? [change: K] : [change: K, value: C[K]]): void {
    for (const act of this.listeners.get(change) ?? []) act(value as never);
  }
}
