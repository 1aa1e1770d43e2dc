// The pitch correction: what is sung and heard, with the harmonies, over the last four seconds, on the lines of the scale.

import { subscribeTo } from "../link/subscription.js";
import { find, onVisible } from "../parts/make.js";
import { listen, watch } from "../store/values.js";
import { noteName, octave } from "../store/units.js";

const seconds = 4;
// Half of the range in semitones, and with harmonies.
const narrow = 6;
const wide = 13;

/** Sets up the tune sheet, which listens only while it is visible. */
export function setUpTune() {
  const canvas = find("#tune-picture");
  const note = find("#tune-note");
  // Moments with the pitches sung, heard and aimed at, and those of the harmonies; -1 is none.
  let past = [];
  let present = [-1, -1, -1];
  let harmonies = [-1, -1, -1, -1];
  let half = narrow;
  let scale = new Set();
  let collecting = new Set();
  let middle = 60;
  let isVisible = false;

  listen("/grid/layout", () => (collecting = new Set()));
  listen("/grid/cell", (row, column, name, key) => {
    collecting.add(key % 12);
    scale = collecting;
  });

  const draw = (now) => {
    if (!isVisible) return;
    requestAnimationFrame(draw);
    const time = now / 1000;
    past.push([time, ...present, ...harmonies]);
    while (past.length && past[0][0] < time - seconds) past.shift();
    half = past.some((moment) => moment.slice(4).some((pitch) => pitch >= 0)) ? wide : narrow;
    const target = present[2] >= 0 ? present[2] : present[0];
    if (target >= 0 && Math.abs(target - middle) > half - 2) middle = target;
    paint(canvas, past, time, middle, half, scale);
  };
  watch("/singing", (...pitches) => {
    present = pitches;
    const [sung, , target] = pitches;
    const off = Math.round((sung - target) * 100);
    const key = Math.round(target);
    note.textContent = target < 0 ? "" : `${noteName(key)}${octave(key)}, ${off > 0 ? "+" : off < 0 ? "\u2212" : ""}${Math.abs(off)} cents`;
  });
  watch("/harmonies", (...values) => (harmonies = values.slice(0, 4)));
  onVisible(find("#tune"), (is) => {
    subscribeTo("/singing", is);
    subscribeTo("/harmonies", is, "tune");
    if (is && !isVisible) requestAnimationFrame(draw);
    if (!is) past = [];
    isVisible = is;
  });
}

function paint(canvas, past, now, middle, half, scale) {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  const color = (name) => style.getPropertyValue(name);
  const y = (pitch) => height / 2 - ((pitch - middle) * height) / (2 * half);
  context.font = "12px sans-serif";
  context.fillStyle = color("--quiet");
  context.strokeStyle = color("--line");
  context.lineWidth = 1;
  // Names that would overlap are left out.
  let last = Infinity;
  for (let key = Math.ceil(middle - half); key <= middle + half; key++) {
    if (scale.size && !scale.has(((key % 12) + 12) % 12)) continue;
    context.beginPath();
    context.moveTo(34, y(key));
    context.lineTo(width, y(key));
    context.stroke();
    if (last - y(key) < 14) continue;
    last = y(key);
    context.fillText(noteName(key) + octave(key), 2, y(key) + 4);
  }
  const line = (index, stroke, thickness) => {
    context.strokeStyle = stroke;
    context.lineWidth = thickness;
    context.beginPath();
    let isDown = false;
    for (const moment of past) {
      const pitch = moment[index];
      const x = 34 + (1 - (now - moment[0]) / seconds) * (width - 34);
      if (pitch < 0) isDown = false;
      else if (isDown) context.lineTo(x, y(pitch));
      else context.moveTo(x, y(pitch));
      isDown = pitch >= 0;
    }
    context.stroke();
  };
  for (let voice = 4; voice < 8; voice++) line(voice, color("--play"), 2);
  line(1, color("--quiet"), 2);
  line(2, color("--accent"), 3);
}
