// The part of a timeline that is looked at: zooming and panning, ms of the display.
// A window never leaves the whole, and is never so narrow that nothing can be told.

export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The narrowest window, ms. */
export const narrowest = 60;

/** A window of a width around a place, inside the whole. */
function fit(from: number, width: number, whole: Window): Window {
  const most = whole.to - whole.from;
  const wide = Math.min(most, Math.max(Math.min(narrowest, most), width));
  const start = Math.min(Math.max(whole.from, from), whole.to - wide);
  return { from: start, to: start + wide };
}

/** Closer by a factor (or farther, below 1); what lies at a moment stays where it is. */
export function zoom(window: Window, factor: number, at: number, whole: Window): Window {
  const width = (window.to - window.from) / factor;
  const part = (at - window.from) / (window.to - window.from);
  return fit(at - part * width, width, whole);
}

/** Further by a part of its width. */
export function pan(window: Window, part: number, whole: Window): Window {
  const width = window.to - window.from;
  return fit(window.from + part * width, width, whole);
}

/** The window, moved only as far as it has to be for a moment to lie in it. */
export function show(window: Window, at: number, whole: Window): Window {
  const width = window.to - window.from;
  if (at >= window.from && at <= window.to) return fit(window.from, width, whole);
  return fit(at - width * (at > window.to ? 0.15 : 0.5), width, whole);
}

export const isWhole = (window: Window, whole: Window) => window.from <= whole.from && window.to >= whole.to;
