// The thread in Node.

import { parentPort } from "node:worker_threads";
import { serve } from "./host";

serve({
  send: (message) => parentPort!.postMessage(message),
  receive: (take) => parentPort!.on("message", take),
});
