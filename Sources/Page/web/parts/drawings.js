// The drawings of the voices, fetched when they are first shown: outlines, tinted and solid parts.

import { svg } from "./make.js";

const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;

const drawings = {
  chipmunk: {
    tinted: "M12 35a20 19 0 1 0 40 0a20 19 0 1 0 -40 0z" + circle(16, 15, 7) + circle(48, 15, 7),
    outline: "M12 35a20 19 0 1 0 40 0a20 19 0 1 0 -40 0zM14 24a8 8 0 1 1 10 -8M50 24a8 8 0 1 0 -10 -8M32 16v9M26 17.5l1.5 6M38 17.5l-1.5 6M24 43q4 3.5 8 0q4 3.5 8 0M28.5 45v7h7v-7M32 46v6",
    solid: circle(24, 32, 2.6) + circle(40, 32, 2.6) + "M28.5 37.5h7l-3.5 4z",
  },
  vader: {
    tinted: "M11 52C8 22 17 7 32 7s24 15 21 45l-9 5H20z",
    outline: "M11 52C8 22 17 7 32 7s24 15 21 45l-9 5H20zM32 7v16M14 29q9 -5 18 -5t18 5M20 57l3 -14M44 57l-3 -14M26 51h12M27.5 46.5h9M29 42h6M32 36l-9 20M32 36l9 20",
    solid: "M18 30l11 2l-1.5 5q-7 1 -9.5 -7zM46 30l-11 2l1.5 5q7 1 9.5 -7z",
  },
  snail: {
    tinted: circle(27, 32, 17),
    outline: circle(27, 32, 17) + "M27 32a4 4 0 0 1 4 4a8 8 0 0 1 -12 -2a10 10 0 0 1 17 -9a13 13 0 0 1 3 12M5 54h42q10 0 10 -10V30M5 54q2 -6 8 -8M55 30l-4 -10M58 30l2 -10M50 44q4 1 7 -1",
    solid: circle(51, 19, 2.4) + circle(60, 19, 2.4),
  },
  rabbit: {
    tinted: "M17 44a15 14 0 1 0 30 0a15 14 0 1 0 -30 0zM24 31C14 14 17 5 21 5s8 10 8 25zM40 31C50 14 47 5 43 5s-8 10 -8 25z",
    outline: "M17 44a15 14 0 1 0 30 0a15 14 0 1 0 -30 0zM24 32C13 15 16 5 20.5 5S29 16 29 30M40 32C51 15 48 5 43.5 5S35 16 35 30M32 50v3M32 53q-3 3 -6 0M32 53q3 3 6 0M22 48l-11 -2M22 51l-10 3M42 48l11 -2M42 51l10 3",
    solid: circle(26, 42, 2.4) + circle(38, 42, 2.4) + "M29 47h6l-3 3.5z",
  },
  echo: {
    tinted: circle(15, 32, 12),
    outline: circle(15, 32, 12) + circle(39, 32, 8) + circle(56, 32, 4.5),
    solid: circle(15, 32, 4) + circle(39, 32, 2.6) + circle(56, 32, 1.4),
  },
  reverb: {
    tinted: "M6 56V30C6 14 17 6 32 6s26 8 26 24v26z",
    outline: "M6 56V30C6 14 17 6 32 6s26 8 26 24v26zM15 56V34c0 -11 6 -17 17 -17s17 6 17 17v22M24 56V39c0 -7 3 -11 8 -11s8 4 8 11v17M2 56h60",
    solid: circle(32, 44, 3),
  },
};

/** Makes the drawing of a voice. */
export function drawing(name) {
  const { tinted, outline, solid } = drawings[name];
  return svg("svg", { class: "drawing", viewBox: "0 0 64 64", "aria-hidden": "true" },
    svg("path", { class: "tinted", d: tinted }), svg("path", { d: outline }), svg("path", { class: "solid", d: solid }));
}
