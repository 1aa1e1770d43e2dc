// The last values of each address, and their listeners.

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
  for (const handler of listeners.get(address) ?? []) handler(...args);
  if (!watchers.has(address)) return;
  dirty.add(address);
  nextFrame(flush);
}

/** The last arguments of an address; undefined before the first. */
export const latest = (address) => values.get(address);

/** The last value of an address; otherwise, the default. */
export const value = (address, otherwise) => values.get(address)?.[0] ?? otherwise;

/** Calls show(...arguments) now, if there are any, and once per frame when they change. */
export function watch(address, show) {
  add(watchers, address, show);
  if (values.has(address)) show(...values.get(address));
}

/** Calls handler(...arguments) for every message to an address. */
export function listen(address, handler) {
  add(listeners, address, handler);
}

/** Calls handler(...values) for every reply to a command. */
export const onReply = (command, handler) => listen("/reply", (address, ...args) => address === command && handler(...args));

/** Calls handler(code, text) for every error of a command. */
export const onError = (command, handler) => listen("/error", (address, ...args) => address === command && handler(...args));

/** Calls done(rows) at the end of each list, with the arguments of its messages. Returns a function that drops a partial one. */
export function collect(address, end, done) {
  let rows = [];
  listen(address, (...row) => rows.push(row));
  listen(end, () => {
    const whole = rows;
    rows = [];
    done(whole);
  });
  return () => (rows = []);
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
