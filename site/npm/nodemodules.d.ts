// As much of Node's modules as the module uses in Node; pages have none of their types.

declare module "node:worker_threads" {
  interface Port {
    postMessage(message: unknown): void;
    on(event: "message", take: (message: any) => void): void;
    on(event: "error", take: (error: Error) => void): void;
  }
  export class Worker {
    constructor(file: URL);
    postMessage: Port["postMessage"];
    on: Port["on"];
    terminate(): Promise<number>;
  }
  export const parentPort: Port | null;
}

declare module "node:fs/promises" {
  export function readFile(file: URL): Promise<Uint8Array<ArrayBuffer>>;
}
