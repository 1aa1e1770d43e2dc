// The loops: their number, the chosen one, and the state of each.

import { send } from "../link/socket.js";
import { looks } from "./looks.js";
import { hear, told } from "./values.js";

/** The look of a state; an unknown one looks empty. */
export const lookOf = (state) => looks[state] ?? looks.empty;

/** Whether the playhead moves in a state. */
export const runs = (state) => lookOf(state).runs;

const slots = [];
const watchers = { slot: new Set(), size: new Set(), chosen: new Set() };
const start = { state: "empty", position: 0, length: 0, layers: 0, waits: "", heardAt: 0, seconds: -1, toldAt: 0 };
let longest = 10;
let chosen = 1;

/** The length of the longest loop, in seconds. */
export const longestLoop = () => longest;

/** The number of the chosen loop, from 1. */
export const chosenSlot = () => chosen;

/** The state of a loop: {state, position, length, layers, waits, heardAt, seconds, toldAt}. */
export const slot = (number) => slots[number - 1] ?? start;

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

/** Chooses a loop, here and on all surfaces with one set of buttons. */
export function chooseSlot(number) {
  if (number < 1 || number > slots.length) return;
  choose(number);
  send("/loop/select", number);
}

/** The beats until the queued state begins; undefined if it waits for sound. */
export function beatsToGo({ seconds, toldAt }) {
  if (!(seconds >= 0)) return undefined;
  const left = Math.max(0, seconds - (performance.now() - toldAt) / 1000);
  return Math.max(1, Math.ceil((left * (told("/metronome/bpm")?.[0] ?? 120)) / 60));
}

function choose(number) {
  if (number === chosen) return;
  chosen = number;
  for (const show of watchers.chosen) show(number);
}

hear("/loop/select", choose);
hear("/loops/size", (count, seconds) => {
  longest = seconds;
  if (count === slots.length) return;
  slots.length = Math.min(count, slots.length);
  while (slots.length < count) slots.push({ ...start });
  // Watchers need their slots first.
  for (const show of watchers.size) show(count);
  slots.forEach((_, at) => listen(at + 1));
});

const listening = new Set();

function listen(number) {
  const take = (values) => {
    if (!slots[number - 1]) return;
    Object.assign(slots[number - 1], values);
    for (const show of watchers.slot) show(number);
  };
  const takeState = (state, position, length, layers, waits) => take({ state, position, length, layers, waits, heardAt: performance.now() });
  const takeNext = (_, seconds) => take({ seconds, toldAt: performance.now() });
  for (const [part, heard] of [["state", takeState], ["next", takeNext]]) {
    const address = `/loop/${number}/${part}`;
    const known = told(address);
    if (!listening.has(address)) hear(address, heard);
    listening.add(address);
    if (known) heard(...known);
  }
}
