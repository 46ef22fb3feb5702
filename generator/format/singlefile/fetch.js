// In a file that holds everything, what a demo's scripts fetch comes from the page itself.
(() => {
  "use strict";
  let files;
  const fetchAnything = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    files ??= JSON.parse(document.getElementById("kubewalk-files").textContent);
    const url = new URL(typeof input === "string" ? input : (input.url ?? input), location.href);
    const name = Object.keys(files).find((end) => url.pathname.endsWith(end));
    if (name === undefined || (url.protocol !== location.protocol && url.protocol !== "file:")) return fetchAnything(input, init);
    const text = atob(files[name]);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return new Response(bytes);
  };
})();
