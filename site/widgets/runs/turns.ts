// The calls of several pages to one worker, which does one at a time. Each page's are done in order, and one call of
// each page that waits before the next of another's: nobody is kept from their turn by who asks for much.

export class Turns<Page, Call> {
  private readonly lines = new Map<Page, Call[]>(); // the first is next
  private isBusy = false;

  /** serve does a call and does not fail. */
  constructor(private readonly serve: (page: Page, call: Call) => Promise<void>) {}

  take(page: Page, call: Call): void {
    const line = this.lines.get(page);
    if (line) line.push(call);
    else this.lines.set(page, [call]);
    if (!this.isBusy) void this.work();
  }

  /** Forgets what a page that is gone has asked for. */
  drop(page: Page): void {
    this.lines.delete(page);
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    for (let next; (next = this.next()); ) {
      await this.serve(...next);
      await messages();
    }
    this.isBusy = false;
  }

  private next(): [Page, Call] | undefined {
    for (const [page, [call, ...rest]] of this.lines) {
      this.lines.delete(page);
      if (rest.length > 0) this.lines.set(page, rest);
      return [page, call!];
    }
    return undefined;
  }
}

/** Lets in what pages have sent meanwhile: a timer would wait for milliseconds. */
function messages(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((done) => {
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}
