// Numbers as a musician reads them, and faders: positions to values and back.

/** The position of a value on a fader, 0 to 1. The curve is the address's: Address.Curve has the same formulas. */
export function place(value, { min, max, curve }) {
  if (min === undefined || value === undefined) return 0;
  const part = (value - min) / (max - min);
  if (curve === "level") return Math.max(0, part) ** 2;
  return isRatio(curve) ? Math.log(value / min) / Math.log(max / min) : part;
}

/** The value at a position, 0 to 1, as the curve has it. */
export function exactValue(part, { min, max, curve }) {
  if (part <= 0) return min;
  if (part >= 1) return max;
  if (curve === "level") return min + Math.sqrt(part) * (max - min);
  return isRatio(curve) ? min * (max / min) ** part : min + part * (max - min);
}

/** The value at a position, rounded to a readable step; or to a finer one. */
export function valueAt(part, facts, fine = false) {
  const { min, max, types } = facts;
  const value = exactValue(part, facts);
  if (value === min || value === max) return value;
  const grain = types === "i" ? 1 : grainOf(value, facts, fine);
  return Math.min(max, Math.max(min, Number((Math.round(value / grain) * grain).toFixed(6))));
}

/** The value after some key presses: 1 is a step, 10 is a page. */
export function stepped(value, steps, facts) {
  const { min, max, unit, types, curve } = facts;
  if (isRatio(curve)) return valueAt(place(value, facts) + steps / 100, facts, true);
  const step = types === "i" || unit === "semitones" || unit === "dB" ? 1 : (max - min) / 100;
  return Math.min(max, Math.max(min, Number((value + steps * step).toFixed(6))));
}

/** Whether the range is symmetric around 0. */
export const isAroundZero = ({ min, max }) => min < 0 && max === -min;

/** The value that a double tap restores: the table's default, or else the one without effect. */
export function initial({ initial: fromTable, min, max, unit, curve }) {
  if (fromTable !== undefined) return fromTable;
  if (unit === "dB" || isAroundZero({ min, max })) return Math.min(0, max);
  return !unit && isRatio(curve) ? 1 : undefined;
}

const isRatio = (curve) => curve === "exponential";

function grainOf(value, { min, max, unit, curve }, fine) {
  if (unit === "semitones") return fine ? 0.01 : 1;
  if (unit === "dB") return fine ? 0.1 : 0.5;
  if (isRatio(curve)) return 10 ** (Math.floor(Math.log10(value)) - (fine ? 3 : 2));
  if (unit === "beats" && !fine) return 0.25;
  if (unit === "beats/min") return fine ? 0.1 : 1;
  return (max - min) / (fine ? 5000 : 500);
}

const signed = (number, digits) => (number > 0 ? "+" : "") + number.toFixed(digits);
const minus = (text) => text.replace("-", "\u2212");
const short = (number, digits) => String(Number(number.toFixed(digits)));

/** The value with its unit, short enough for a fader. */
export function figure(value, facts) {
  if (value === undefined) return "\u2013";
  if (typeof value === "string") return value;
  const { min, max, unit, curve } = facts;
  switch (unit) {
    case "dB": return value <= min ? "\u2212\u221e dB" : minus(signed(value, 1)) + " dB";
    case "semitones": return minus(isAroundZero(facts) ? signed(value, Number.isInteger(value) ? 0 : 2) : short(value, 2)) + " st";
    case "Hz": return value >= 1000 ? short(value / 1000, 2) + " kHz" : short(value, 1) + " Hz";
    case "s": return value < 1 ? short(value * 1000, value < 0.1 ? 1 : 0) + " ms" : short(value, 2) + " s";
    case "beats": return short(value, 2) + (value === 1 ? " beat" : " beats");
    case "beats/min": return short(value, 1) + " bpm";
  }
  if (isRatio(curve)) return "\u00d7 " + value.toFixed(2);
  if (min === 0 && max <= 2) return Math.round(value * 100) + " %";
  return minus(short(value, 2)) + (unit ? " " + unit : "");
}

const spokenUnits = { st: "semitones", "%": "percent", ms: "milliseconds", s: "seconds", bpm: "beats per minute", Hz: "hertz", kHz: "kilohertz", dB: "decibels" };

/** A figure as text for screen readers, which skip signs and spell out unit symbols. */
export const spoken = (text) => text.replace("\u2212\u221e", "minus infinity").replace("\u2212", "minus ").replace("\u00d7", "times").replace(/(?<=\d )(\S+)$/, (unit) => spokenUnits[unit] ?? unit);

/** A time as screen readers should read it. */
export function spokenTime(seconds) {
  if (!(seconds >= 60)) return `${(seconds || 0).toFixed(1)} seconds`;
  return `${counted(Math.floor(seconds / 60), "minute")} ${counted(Math.floor(seconds % 60), "second")}`;
}

/** Seconds as on a tape counter. */
export function time(seconds) {
  if (!(seconds >= 0)) return "\u2013";
  const whole = Math.floor(seconds + 0.05);
  if (seconds < 59.95) return (Math.round(seconds * 10) / 10).toFixed(1) + " s";
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return (h ? h + ":" + String(m).padStart(2, "0") : m) + ":" + String(s).padStart(2, "0");
}

const noteNames = ["C", "C\u266f", "D", "E\u266d", "E", "F", "F\u266f", "G", "A\u266d", "A", "B\u266d", "B"];

/** The name of a MIDI key, without its octave. */
export const noteName = (key) => noteNames[((key % 12) + 12) % 12];

/** The octave of a MIDI key; that of middle C is 4. */
export const octave = (key) => Math.floor(key / 12) - 1;

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
/** A take's date in the browser's language. */
export const when = (date) => {
  const moment = new Date(date);
  return isNaN(moment) ? date : day.format(moment);
};

/** The text with a capital first letter. */
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** A number of things, such as "2 layers". */
export const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

const naturals = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 };

/** The pitch class of a note's name, from 0 for C. */
export const pitchClass = (name) => (naturals[name[0]] + (name.endsWith("#") ? 1 : /.b$/.test(name) ? 11 : 0)) % 12;

/** A note's name with the signs of print. */
export const printed = (name) => name.replace("#", "\u266f").replace(/(?<=.)b$/, "\u266d");
