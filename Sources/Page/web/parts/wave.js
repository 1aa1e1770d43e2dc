// The waveform, drawn only when it is another, and the playhead, which runs on between two messages.

import { eachFrame, nextFrame } from "../store/clock.js";
import { send } from "../link/socket.js";
import { told, watch } from "../store/values.js";
import { find } from "./make.js";
import { time } from "../store/units.js";

const longest = 10;

/** Sets up the waveform of a loop {state, position, length}; moved() at each message, show() at each state. */
export function setUpWave(element, loop) {
  const canvas = find("canvas", element);
  const head = find(".wave-head", element);
  const past = find(".wave-past", element);
  const seek = find("input", element);
  let heardAt = 0;

  const drawPeaks = () => {
    const peaks = told("/loop/peaks") ?? [];
    const scale = Math.min(2, devicePixelRatio);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!width) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const brush = canvas.getContext("2d");
    brush.scale(scale, scale);
    brush.fillStyle = getComputedStyle(canvas).color;
    const middle = height / 2;
    if (!peaks.length) {
      brush.fillRect(0, middle - 0.5, width, 1);
      return;
    }
    // Bars with a gap read better than a filled shape; each is the highest of the parts it covers.
    const across = loop.state === "recording" ? Math.min(1, loop.length / longest) * width : width;
    const count = Math.max(1, Math.min(peaks.length, Math.floor(across / 4)));
    const step = across / count;
    for (let bar = 0; bar < count; bar++) {
      const from = Math.floor((bar * peaks.length) / count);
      const to = Math.max(from + 1, Math.floor(((bar + 1) * peaks.length) / count));
      const peak = Math.max(...peaks.slice(from, to));
      // Soft sounds are seen from a distance, too: the heights open towards the middle.
      const tall = Math.max(2, peak ** 0.6 * (height - 8));
      brush.beginPath();
      brush.roundRect(bar * step, middle - tall / 2, Math.max(1.5, step - 1.5), tall, 1.5);
      brush.fill();
    }
  };
  const draw = () => nextFrame(drawPeaks);
  watch("/loop/peaks", draw);
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", draw);

  const moves = () => ["recording", "playing", "overdubbing", "replacing"].includes(loop.state);
  const speed = () => {
    if (loop.state === "recording") return 1;
    const chained = (told("/loop/route")?.[0] ?? "chain") === "chain" && (told("/stretch/on")?.[0] ?? 1) && !told("/chain/bypass")?.[0];
    return (told("/loop/rate")?.[0] ?? 1) * (chained ? told("/stretch/rate")?.[0] ?? 1 : 1) * (told("/player/direction")?.[0] ?? 1);
  };
  const place = (now) => {
    const { state, position, length } = loop;
    const passed = moves() ? Math.min(0.4, Math.max(0, (now - heardAt) / 1000)) * speed() : 0;
    if (state === "recording") return Math.min(1, ((length || position) + passed) / longest);
    if (!length) return 0;
    const at = position + passed;
    const once = told("/player/loop")?.[0] === 0;
    return once ? Math.min(1, Math.max(0, at / length)) : (((at % length) + length) % length) / length;
  };
  const follow = (now) => {
    const at = place(now);
    head.style.transform = `translateX(${at * 100}%)`;
    past.style.transform = `scaleX(${at})`;
    return moves() && !document.hidden && element.offsetParent !== null;
  };
  const showPlace = () => {
    eachFrame(follow);
    seek.disabled = !loop.length || loop.state === "recording";
    if (document.activeElement !== seek || !seek.matches(":active")) seek.value = loop.length ? (loop.position / loop.length) * 1000 : 0;
    seek.setAttribute("aria-valuetext", `${time(loop.position)} of ${time(loop.length)}`);
  };
  seek.addEventListener("input", () => send("/player/position", Math.min(loop.length, (seek.value / 1000) * loop.length)));

  let lastState;
  return {
    moved() {
      heardAt = performance.now();
      nextFrame(showPlace);
    },
    show() {
      if (lastState !== loop.state) draw();
      lastState = loop.state;
    },
  };
}
