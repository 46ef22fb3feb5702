import { policy } from "../trusted";

/** Lets the frame of a page get the site's own scripts: those that come later, and the one that keeps visited pages. */
export const own = policy("kubewalk-frame", {
  createScriptURL: (url) => {
    if (new URL(url, location.href).origin === origin && url.endsWith(".js")) return url;
    throw TypeError(url); // few words: every page loads this
  },
});
