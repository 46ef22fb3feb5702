import { ourScripts } from "../trusted";

/** The scripts that the frame of a page gets: those that come later, and the one that keeps visited pages. */
export const own = ourScripts("kubewalk-frame", ({ origin, pathname }) =>
  origin === location.origin && /\/(assets\/.+|sw)\.js$/.test(pathname));
