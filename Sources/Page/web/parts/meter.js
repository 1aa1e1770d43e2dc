// Level meters with peak hold, drawn only while they move.

import { eachFrame } from "../store/clock.js";
import { latest, listen, watch } from "../store/values.js";
import { filled, make } from "./make.js";

const names = ["in_1", "in_2", "live_1", "live_2", "loop_1", "loop_2", "grid_1", "grid_2", "out_1", "out_2", "reduction"];
const floor = -60;
const hold = 120;
const fall = 70;
const peakHold = 1500;
const peakFall = 24;

const channelsOf = (name) => [name, name + "_1", name + "_2"].map((one) => names.indexOf(one)).filter((at) => at >= 0);

const bars = [];
let running = false;

/** Makes a pair of bars of an element with a data-meter, such as out. */
export function meter(element) {
  const channels = channelsOf(element.dataset.meter);
  filled(element, { role: "meter", "aria-valuemin": floor, "aria-valuemax": 0, "aria-valuenow": floor });
  for (const channel of channels) {
    const bar = { channel, element, bar: make("span", "meter-bar", {}, make("span", "meter-cover"), make("span", "meter-mark")), level: floor, since: 0, peak: floor, peakSince: 0 };
    element.append(bar.bar);
    bars.push(bar);
    draw(bar);
  }
}

listen("/meter", () => {
  if (running || !bars.length) return;
  running = true;
  let last = performance.now();
  eachFrame((now) => {
    const passed = (now - last) / 1000;
    last = now;
    const levels = latest("/meter");
    running = false;
    for (const bar of bars) if (step(bar, levels[bar.channel], now, passed)) running = true;
    return running;
  });
});

// 15 dB of gain reduction fill the limiter's bar.
function step(bar, given, now, passed) {
  const raw = names[bar.channel] === "reduction" ? floor + Math.abs(given) * 4 : given;
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

// The style sheet decides on the bar's orientation.
function draw({ level, peak, bar }) {
  bar.style.setProperty("--level", (1 - level / floor).toFixed(3));
  bar.style.setProperty("--peak", (1 - peak / floor).toFixed(3));
}

// At most once per second, for screen readers.
setInterval(() => {
  for (const bar of bars) if (bar.element.offsetParent) bar.element.setAttribute("aria-valuenow", Math.round(bar.level));
}, 1000);

/** Shows the highest peak of the last second in dB; for the limiter, the highest gain reduction. */
export function levelFigure(output) {
  const name = output.dataset.level;
  const channels = channelsOf(name);
  const least = name === "reduction" ? 0 : floor;
  let best = least;
  let since = 0;
  watch("/meter", (...levels) => {
    const now = performance.now();
    const level = Math.max(least, ...channels.map((channel) => (name === "reduction" ? Math.abs(levels[channel]) : levels[channel])));
    if (level < best && now - since < 1000) return;
    [best, since] = [level, now];
    const words = name === "reduction" ? (level < 0.05 ? "0.0" : "-" + level.toFixed(1)) : level <= floor ? "-\u221e" : level.toFixed(1);
    output.textContent = words.replace("-", "\u2212");
    output.classList.toggle("over", name !== "reduction" ? level >= -0.05 : level >= 0.05);
  });
}
