// The last values of each address, and who watches them.

import { nextFrame } from "./clock.js";

const values = new Map();
const watchers = new Map();
const listeners = new Map();
const dirty = new Set();
const roots = new Set();
const rootWatchers = new Set();

/** Stores a message of the node, and passes it on. */
export function receive(address, args) {
  values.set(address, args);
  for (const heard of listeners.get(address) ?? []) heard(...args);
  if (!watchers.has(address)) return;
  dirty.add(address);
  nextFrame(flush);
}

/** The last arguments of an address; undefined before the first. */
export const told = (address) => values.get(address);

/** Calls show(...arguments) now, if there are any, and once per frame when they change. */
export function watch(address, show) {
  add(watchers, address, show);
  if (values.has(address)) show(...values.get(address));
}

/** Calls heard(...arguments) for every message to an address. */
export function hear(address, heard) {
  add(listeners, address, heard);
}

/** Returns the first parts of all addresses with listeners; calls changed() after a new one. */
export function onRoots(changed) {
  rootWatchers.add(changed);
  return roots;
}

function add(map, address, listener) {
  if (!map.has(address)) map.set(address, new Set());
  map.get(address).add(listener);
  const root = address.split("/")[1];
  if (roots.has(root)) return;
  roots.add(root);
  for (const changed of rootWatchers) changed();
}

function flush() {
  const due = [...dirty];
  dirty.clear();
  for (const address of due) for (const show of watchers.get(address)) show(...values.get(address));
}
