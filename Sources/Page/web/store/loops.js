// The loops: their number, the chosen one, and the state of each.

import { send } from "../link/socket.js";
import { looks } from "./looks.js";
import { latest, listen, value } from "./values.js";

/** The look of a state; an unknown one looks empty. */
export const lookOf = (state) => looks[state] ?? looks.empty;

/** Whether the playhead moves in a state. */
export const runs = (state) => lookOf(state).runs;

/** Whether the player records, or pauses in a recording, in a state of /player/state. */
export const isUnderWay = (state) => state === "recording" || state === "suspended";

/** Whether the playhead moves on between messages. */
export const moves = ({ state }) => state === "recording" || runs(state);

const slots = [];
const watchers = { slot: new Set(), size: new Set(), chosen: new Set() };
const start = { state: "empty", position: 0, length: 0, layers: 0, waits: "", receivedAt: 0, seconds: -1, nextAt: 0 };
let longest = 10;
let chosen = 1;

/** The length of the longest loop, in seconds. */
export const longestLoop = () => longest;

/** The number of the chosen loop, from 1. */
export const chosenSlot = () => chosen;

/** The state of a loop: {state, position, length, layers, waits, receivedAt, seconds, nextAt}. */
export const slot = (number) => slots[number - 1] ?? start;

/** The playhead of a loop now, 0 to 1: of the loop or, while recording, of the longest one. */
export function playhead(number, now) {
  const one = slot(number);
  const { state, position, length, receivedAt } = one;
  const passed = moves(one) ? Math.min(0.4, Math.max(0, (now - receivedAt) / 1000)) : 0;
  if (state === "recording") return Math.min(1, ((length || position) + passed) / longest);
  if (!length) return 0;
  const part = (position + passed * speed(number)) / length;
  return value(`/loop/${number}/loop`) === 0 ? Math.min(1, Math.max(0, part)) : part - Math.floor(part);
}

function speed(number) {
  const of = (part, otherwise) => value(`/loop/${number}/${part}`, otherwise);
  const isStretched = of("route", "chain") === "chain" && value("/stretch/on", 1) && !value("/chain/bypass");
  return of("rate", 1) * of("direction", 1) * (isStretched ? value("/stretch/rate", 1) : 1);
}

/** Calls show(number) for each state message of a loop. */
export const watchSlots = (show) => watchers.slot.add(show);

/** Calls show(count) now, if known, and when it changes. */
export function watchSlotCount(show) {
  watchers.size.add(show);
  if (slots.length) show(slots.length);
}

/** Calls show(number) now and when another loop is chosen. */
export function watchChosenSlot(show) {
  watchers.chosen.add(show);
  show(chosen);
}

// Longer than a round trip, in milliseconds.
const settlingTime = 500;
let settling;

/** Chooses a loop, here and on all surfaces with one set of buttons. */
export function chooseSlot(number) {
  if (number < 1 || number > slots.length) return;
  choose(number);
  send("/loop/select", number);
  // Replies to earlier choices may still be on their way.
  clearTimeout(settling);
  settling = setTimeout(() => {
    settling = undefined;
    send("/loop/select");
  }, settlingTime);
}

/** The beats until the queued state begins; undefined if it waits for sound. */
export function beatsToGo({ seconds, nextAt }) {
  if (!(seconds >= 0)) return undefined;
  const left = Math.max(0, seconds - (performance.now() - nextAt) / 1000);
  return Math.max(1, Math.ceil((left * value("/metronome/bpm", 120)) / 60));
}

function choose(number) {
  if (number === chosen) return;
  chosen = number;
  for (const show of watchers.chosen) show(number);
}

listen("/loop/select", (number) => settling === undefined && choose(number));
listen("/loops/size", (count, seconds) => {
  longest = seconds;
  if (count === slots.length) return;
  slots.length = Math.min(count, slots.length);
  while (slots.length < count) slots.push({ ...start });
  // Watchers need their slots first.
  for (const show of watchers.size) show(count);
  slots.forEach((_, at) => connect(at + 1));
});

const listening = new Set();

function connect(number) {
  const take = (values) => {
    if (!slots[number - 1]) return;
    Object.assign(slots[number - 1], values);
    for (const show of watchers.slot) show(number);
  };
  const takeState = (state, position, length, layers, waits) => take({ state, position, length, layers, waits, receivedAt: performance.now() });
  const takeNext = (_, seconds) => take({ seconds, nextAt: performance.now() });
  for (const [part, handler] of [["state", takeState], ["next", takeNext]]) {
    const address = `/loop/${number}/${part}`;
    const known = latest(address);
    if (!listening.has(address)) listen(address, handler);
    listening.add(address);
    if (known) handler(...known);
  }
}
