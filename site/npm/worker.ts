// The worker in a page.

import { serve } from "./host";

serve({
  send: (message) => postMessage(message),
  receive: (take) => addEventListener("message", ({ data }) => take(data)),
});
