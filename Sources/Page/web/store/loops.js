// The slots of loops: how many there are, which one is chosen, and what each does.

import { send } from "../link/socket.js";
import { hear, told } from "./values.js";

/** What each state shows: its word, its icon, and the button that it lights. */
export const looks = {
  empty: ["Empty", "plus", ""],
  recording: ["Rec", "record", "record"],
  overdubbing: ["Over", "overdub", "overdub"],
  replacing: ["Replace", "replace", "replace"],
  substituting: ["Subst", "substitute", "substitute"],
  multiplying: ["Multiply", "multiply", "multiply"],
  inserting: ["Insert", "insert", "insert"],
  playing: ["Play", "play", "play"],
  muted: ["Mute", "muted", "play"],
  paused: ["Pause", "pause", "pause"],
  stopped: ["Stop", "stop", "stop"],
};

/** The states in which the place in the loop goes round. */
export const running = ["playing", "muted", "overdubbing", "replacing", "substituting", "multiplying", "inserting"];

const slots = [];
const watchers = { slot: new Set(), size: new Set(), chosen: new Set() };
const start = { state: "empty", position: 0, length: 0, layers: 0, waits: "", heardAt: 0, seconds: -1, toldAt: 0 };
let longest = 10;
let chosen = 1;

/** How many seconds a loop can be long. */
export const longestLoop = () => longest;

/** How many slots there are; 0 until the node has told it. */
export const slotCount = () => slots.length;

/** The number of the slot that is chosen, from 1 on. */
export const chosenSlot = () => chosen;

/** What is known of a slot: {state, position, length, layers, waits, heardAt, seconds, toldAt}. */
export const slot = (number) => slots[number - 1] ?? start;

/** Calls show(number) at each message on what a slot does. */
export const watchSlots = (show) => watchers.slot.add(show);

/** Calls show(count) now, if it is known, and when it is another. */
export function watchSlotCount(show) {
  watchers.size.add(show);
  if (slots.length) show(slots.length);
}

/** Calls show(number) now and when another slot is chosen. */
export function watchChosenSlot(show) {
  watchers.chosen.add(show);
  show(chosen);
}

/** Chooses a slot, here and for all that have one set of buttons. */
export function chooseSlot(number) {
  if (number < 1 || number > slots.length) return;
  choose(number);
  send("/loop/select", number);
}

/** The beats until what waits is done; undefined where it waits for sound. */
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
  // First there is a place for it.
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
