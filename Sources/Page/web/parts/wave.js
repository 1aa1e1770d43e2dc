// The waveform, redrawn when it changes, and the playhead, which moves on between messages.

import { eachFrame, nextFrame } from "../store/clock.js";
import { send } from "../link/socket.js";
import { chosenSlot, longestLoop, moves, playhead, slot, watchSlotCount } from "../store/loops.js";
import { latest, watch } from "../store/values.js";
import { find } from "./make.js";
import { brushOf } from "./picture.js";
import { spokenTime } from "../store/units.js";

/** Sets up the waveform of the chosen loop. Call moved() per message, show() per state, turned() per selection. */
export function setUpWave(element) {
  const canvas = find("canvas", element);
  const head = find(".wave-head", element);
  const past = find(".wave-past", element);
  const seek = find("input", element);

  const drawPeaks = () => {
    const loop = slot(chosenSlot());
    const peaks = latest(`/loop/${chosenSlot()}/peaks`) ?? [];
    if (!canvas.clientWidth) return;
    const { brush, width, height } = brushOf(canvas);
    const middle = height / 2;
    if (!peaks.length) {
      brush.fillRect(0, middle - 0.5, width, 1);
      return;
    }
    // Bars with gaps read better than a filled shape. Each has the highest peak of its section.
    const across = loop.state === "recording" ? Math.min(1, (loop.length || loop.position) / longestLoop()) * width : width;
    const count = Math.max(1, Math.min(peaks.length, Math.floor(across / 4)));
    const step = across / count;
    for (let bar = 0; bar < count; bar++) {
      const from = Math.floor((bar * peaks.length) / count);
      const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / count));
      const peak = Math.max(...peaks.slice(from, to));
      // An expanded scale keeps soft sounds visible.
      const tall = Math.max(2, peak ** 0.6 * (height - 8));
      brush.beginPath();
      brush.roundRect(bar * step, middle - tall / 2, Math.max(1.5, step - 1.5), tall, 1.5);
      brush.fill();
    }
  };
  const draw = () => nextFrame(drawPeaks);
  let watched = 0;
  watchSlotCount((count) => {
    while (watched < count) {
      const number = ++watched;
      watch(`/loop/${number}/peaks`, () => number === chosenSlot() && draw());
    }
  });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", draw);

  const follow = (now) => {
    const at = playhead(chosenSlot(), now);
    head.style.transform = `translateX(${at * 100}%)`;
    past.style.transform = `scaleX(${at})`;
    return moves(slot(chosenSlot())) && !document.hidden && element.offsetParent !== null;
  };
  const showPlace = () => {
    const loop = slot(chosenSlot());
    eachFrame(follow);
    seek.disabled = !loop.length || loop.state === "recording";
    // Screen readers would read each value of the focused one.
    if (document.activeElement !== seek) showValue();
  };
  const showValue = () => {
    const { position, length } = slot(chosenSlot());
    seek.value = length ? (position / length) * 1000 : 0;
    tellValue();
  };
  const tellValue = () => {
    const { length } = slot(chosenSlot());
    seek.setAttribute("aria-valuetext", `${spokenTime((seek.value / 1000) * length)} of ${spokenTime(length)}`);
  };
  seek.addEventListener("focus", showValue);
  // The arrow moves from the playhead.
  seek.addEventListener("keydown", ({ key, repeat }) => key.startsWith("Arrow") && !repeat && showValue());
  seek.addEventListener("input", () => {
    const { length } = slot(chosenSlot());
    send(`/loop/${chosenSlot()}/position`, Math.min(length, (seek.value / 1000) * length));
    tellValue();
  });

  let lastState;
  return {
    moved() {
      nextFrame(showPlace);
    },
    show() {
      const { state } = slot(chosenSlot());
      if (lastState !== state) draw();
      lastState = state;
    },
    turned: draw,
  };
}
