// The icons that are not needed for the first picture: an outline and, of some, a solid part.

import { svg } from "./make.js";

const icons = {
  muted: ["M4 9.5v5h3.5L12.5 19V5L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5"],
  locked: ["M7 11h10a2 2 0 0 1 2 2v5.5a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-5.5a2 2 0 0 1 2 -2zM8 11V7a4 4 0 0 1 8 0v4M12 15v2"],
  record: ["", "M5 12a7 7 0 1 0 14 0a7 7 0 1 0 -14 0z"],
  overdub: ["M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0 -17 0z", "M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"],
  replace: ["M4 8.5h14M14.5 5l4 3.5-4 3.5M20 15.5H6M9.5 12l-4 3.5 4 3.5"],
  pause: ["", "M6.5 5h4v14h-4zM13.5 5h4v14h-4z"],
  stop: ["", "M6 6h12v12H6z"],
  undo: ["M8 5L4 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11H9"],
  redo: ["M16 5l4 4-4 4M19.5 9H10a5.5 5.5 0 0 0 0 11h5"],
  clear: ["M4 7h16M9 7V4h6v3M6.5 7l1 13h9l1-13M10.5 11v5M13.5 11v5"],
  rewind: ["", "M11.5 5.5v13L3 12zM20.5 5.5v13L12 12z"],
  forward: ["", "M12.5 5.5v13L21 12zM3.5 5.5v13L12 12z"],
  done: ["M5 12.5l5 5L19.5 7"],
  keep: ["M12 3v11M7.5 10l4.5 4.5 4.5-4.5M4 16v4.5h16V16"],
  cancel: ["M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0 -17 0zM6.5 17.5l11-11"],
  metronome: ["M8.5 4h7L19 20H5zM12 15l6-9M9.5 15h5"],
  minus: ["M5 12h14"],
  close: ["M6 6l12 12M18 6L6 18"],
  search: ["M4 10.5a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0zM15.5 15.5L21 21"],
  more: ["M4 7h9M19 7h1M4 17h1M11 17h9M13.5 7a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0zM5.5 17a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0z"],
  piano: ["M3.5 5h17v14h-17zM9.2 19v-6M14.8 19v-6", "M7.7 5h3v8h-3zM13.3 5h3v8h-3z"],
  midi: ["M3.5 12a8.5 8.5 0 1 0 17 0a8.5 8.5 0 1 0 -17 0zM7.5 12h.01M9 8.5h.01M12 7.2h.01M15 8.5h.01M16.5 12h.01"],
  substitute: ["M3 12h5M16 12h5M5 6.5a9 9 0 0 1 14 0M19 17.5a9 9 0 0 1-14 0", "M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"],
  multiply: ["M6.5 6.5l11 11M17.5 6.5l-11 11"],
  insert: ["M3 12h12M11 8l4 4-4 4M20 5v14"],
  once: ["M9 6l3-2v16M8.5 20h7"],
  inward: ["M3 12h12M11 8l4 4-4 4M20 5v14"],
  outward: ["M9 12h12M17 8l4 4-4 4M4 5v14"],
  playing: ["M5 14v5M10 8v11M15 11v8M20 5v14"],
  image: ["M5 5h14a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-10a2 2 0 0 1 2 -2zM7 10a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0zM4 18l5.5-5 3.5 3 3-2.5 4.5 4"],
};

/** Adds the icons to the sprite in index.html. */
export function addIcons(sprite) {
  for (const [name, paths] of Object.entries(icons)) {
    const [outline, solid] = [svg("path", { d: paths[0] }), svg("path", { d: paths[1] ?? "", class: "solid" })];
    sprite.append(svg("symbol", { id: "i-" + name, viewBox: "0 0 24 24" }, outline, solid));
  }
}
