// The end of touches that no event ends.

import { onLink } from "../link/socket.js";

/** Calls release() when touches can't end by themselves: the window is left or hidden, or the connection is lost. */
export function onLeave(release) {
  for (const name of ["blur", "pagehide"]) addEventListener(name, () => release());
  document.addEventListener("visibilitychange", () => document.hidden && release());
  // The node has released everything a lost connection held.
  onLink((state) => state === "open" || release());
}

/** Keeps a still finger on an element, which Android would cancel as a long press. */
export function keepTouches(element) {
  element.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  element.addEventListener("contextmenu", (event) => event.preventDefault());
}
