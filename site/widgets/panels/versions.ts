// Which objects there are at a moment, and the versions of each: an index of the
// commits, which grows with the frames and looks at each once.

import { attr, type Details, type Frame, type Json } from "../state/recording";
import { bound } from "../state/timeline";

export class Versions {
  private readonly by = new Map<string, number[]>();
  private seen = 0;

  constructor(private readonly all: () => readonly Frame[]) {}

  /** The frames that wrote an object ("pods default/web"), in order. */
  of(object: string): readonly number[] {
    this.take();
    return this.by.get(object) ?? [];
  }

  /** The last of them at a frame or before; -1 when there was none. */
  at(object: string, index: number): number {
    const versions = this.of(object);
    return versions[bound(versions, (i) => i <= index) - 1] ?? -1;
  }

  /** Whether it was there right after a frame. */
  exists(object: string, index: number): boolean {
    const at = this.at(object, index);
    return at >= 0 && !this.isDeletion(at);
  }

  isDeletion(frame: number): boolean {
    return attr(this.all()[frame]!, "type") === "DELETED";
  }

  /** Every object that was there until a frame, by whether it still is. */
  objects(index: number): { there: string[]; gone: string[] } {
    this.take();
    const out = { there: [] as string[], gone: [] as string[] };
    for (const [object, versions] of this.by) {
      if (versions[0]! > index) continue;
      out[this.exists(object, index) ? "there" : "gone"].push(object);
    }
    const natural = new Intl.Collator("en", { numeric: true });
    out.there.sort(natural.compare);
    out.gone.sort(natural.compare);
    return out;
  }

  /** For when frames were replaced. */
  forget(): void {
    this.by.clear();
    this.seen = 0;
  }

  private take(): void {
    const frames = this.all();
    for (; this.seen < frames.length; this.seen++) {
      const { op, o } = frames[this.seen]!;
      if (op !== "store.commit" || !o) continue;
      const list = this.by.get(o);
      if (list) list.push(this.seen);
      else this.by.set(o, [this.seen]);
    }
  }
}

export interface Reference {
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

interface Identity {
  uid: string;
  kind: string;
  owners: Reference[];
}

type Tree = { [key: string]: Json };

/** What the objects of commits are called and who owns them, without putting together the whole of each. */
export class Identities {
  private readonly known = new Map<number, Identity | undefined>();

  constructor(private readonly details: Details) {}

  of(event: number): Identity | undefined {
    if (this.known.has(event)) return this.known.get(event);
    const value = this.details.objects[event] as Tree | undefined;
    const base = this.details.base?.[event];
    const meta = value?.["metadata"] as Tree | undefined;
    const owners = meta?.["ownerReferences"] as Reference[] | null | undefined;
    let found: Identity | undefined;
    if (base === undefined) {
      if (value && meta) found = { uid: String(meta["uid"]), kind: String(value["kind"]), owners: owners ?? [] };
    } else {
      const before = this.of(base);
      found = before && owners !== undefined ? { ...before, owners: owners ?? [] } : before;
    }
    this.known.set(event, found);
    return found;
  }
}
