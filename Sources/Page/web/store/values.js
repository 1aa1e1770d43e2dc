// What the node has told last at each address, and who wants to know.

import { nextFrame } from "./clock.js";

const values = new Map();
const watchers = new Map();
const ears = new Map();
const dirty = new Set();

/** Takes in a message of the node. */
export function receive(address, args) {
  values.set(address, args);
  for (const heard of ears.get(address) ?? []) heard(...args);
  if (!watchers.has(address)) return;
  dirty.add(address);
  nextFrame(flush);
}

/** The arguments told last at an address; undefined before there were any. */
export const told = (address) => values.get(address);

/** Calls show(...arguments) now, if there are any, and with a frame when they changed. */
export function watch(address, show) {
  if (!watchers.has(address)) watchers.set(address, new Set());
  watchers.get(address).add(show);
  if (values.has(address)) show(...values.get(address));
}

/** Calls heard(...arguments) at once at every message to an address. */
export function hear(address, heard) {
  if (!ears.has(address)) ears.set(address, new Set());
  ears.get(address).add(heard);
}

function flush() {
  const due = [...dirty];
  dirty.clear();
  for (const address of due) for (const show of watchers.get(address)) show(...values.get(address));
}
