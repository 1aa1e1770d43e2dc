// Levels: up at once, held, then falling; drawn only while they move.

import { eachFrame } from "../store/clock.js";
import { hear, told, watch } from "../store/values.js";
import { make } from "./make.js";

const names = ["in_1", "in_2", "live_1", "live_2", "loop_1", "loop_2", "grid_1", "grid_2", "out_1", "out_2", "reduction"];
const floor = -60;
const hold = 120;
const fall = 70;
const peakHold = 1500;
const peakFall = 24;

const bars = [];
let running = false;

/** Makes a pair of bars of an element with data-meter, such as out. */
export function meter(element) {
  const channels = element.dataset.meter === "reduction" ? [10] : [1, 2].map((n) => names.indexOf(`${element.dataset.meter}_${n}`));
  element.setAttribute("role", "meter");
  element.setAttribute("aria-valuemin", floor);
  element.setAttribute("aria-valuemax", 0);
  element.setAttribute("aria-valuenow", floor);
  for (const channel of channels) {
    const bar = { channel, element, bar: make("span", "meter-bar", {}, make("span", "meter-cover"), make("span", "meter-mark")), level: floor, since: 0, peak: floor, peakSince: 0 };
    element.append(bar.bar);
    bars.push(bar);
    draw(bar);
  }
}

hear("/meter", () => {
  if (running || !bars.length) return;
  running = true;
  let last = performance.now();
  eachFrame((now) => {
    const passed = (now - last) / 1000;
    last = now;
    const levels = told("/meter");
    running = false;
    for (const bar of bars) if (step(bar, levels[bar.channel], now, passed)) running = true;
    return running;
  });
});

// The limiter's reduction counts from nothing down; it is shown as a level that falls as quickly.
function step(bar, given, now, passed) {
  const raw = bar.channel === 10 ? floor + Math.abs(given) * 4 : given;
  const target = Number.isFinite(raw) ? Math.min(0, Math.max(floor, raw)) : floor;
  const { level, peak } = bar;
  if (target >= bar.level) {
    bar.level = target;
    bar.since = now;
  } else if (now - bar.since > hold) {
    bar.level = Math.max(target, bar.level - fall * passed);
  }
  if (bar.level >= bar.peak) {
    bar.peak = bar.level;
    bar.peakSince = now;
  } else if (now - bar.peakSince > peakHold) {
    bar.peak = Math.max(bar.level, bar.peak - peakFall * passed);
  }
  if (level !== bar.level || peak !== bar.peak) draw(bar);
  return bar.level > target || bar.peak > bar.level;
}

// The style sheet knows whether the bar lies or stands.
function draw({ level, peak, bar }) {
  bar.style.setProperty("--level", (1 - level / floor).toFixed(3));
  bar.style.setProperty("--peak", (1 - peak / floor).toFixed(3));
}

// Readers are told once a second at most.
setInterval(() => {
  for (const bar of bars) if (bar.element.offsetParent) bar.element.setAttribute("aria-valuenow", Math.round(bar.level));
}, 1000);

/** Shows the peak of the louder of two channels as a figure in dB. */
export function levelFigure(output) {
  const channels = [1, 2].map((n) => names.indexOf(`${output.dataset.level}_${n}`));
  let best = floor;
  let since = 0;
  watch("/meter", (...levels) => {
    const now = performance.now();
    const level = Math.max(...channels.map((channel) => levels[channel]));
    if (level >= best || now - since > 1000) {
      if (level >= best || since) output.textContent = level <= floor ? "\u2212\u221e" : level.toFixed(1).replace("-", "\u2212");
      best = level;
      since = now;
    }
  });
}
