// The library's takes as far as they were asked for, newest first.

import { send } from "../link/socket.js";
import { hear } from "./values.js";

const pageSize = 30;
const takes = new Map();
const watchers = new Set();
let words = "";
let complete = false;
let asking = false;
let fresh = [];
let again = false;
// Several answers can be under way; only the last one asked for is taken.
let due = 0;

/** Calls show() whenever the list is another. */
export function watchTakes(show) {
  watchers.add(show);
}

/** The takes that were found, in order: {id, title, species, date, seconds, north, east}. */
export const foundTakes = () => [...takes.values()];

/** A take by its id. */
export const take = (id) => takes.get(id);

/** What is looked for, and whether more could be asked for. */
export const search = () => ({ words, complete, asking });

/** Asks anew, for all takes or for those with these words. */
export function findTakes(text = words) {
  words = text;
  if (due) {
    again = true;
    return;
  }
  again = false;
  complete = false;
  ask(0);
}

/** Asks for the next page, unless there is none. */
export function moreTakes() {
  if (!complete && !asking) ask(takes.size);
}

function ask(offset) {
  const sent = words ? send("/takes/find", words, offset, pageSize) : send("/takes", offset, pageSize);
  if (!sent) return;
  asking = true;
  due++;
  fresh = [];
  if (!offset) fresh.first = true;
}

hear("/take", (id, title, species, date, seconds, north, east) => {
  const one = { id, title, species, date, seconds, north, east };
  if (due) fresh.push(one);
  if (takes.has(id)) {
    takes.set(id, one);
    changed();
  } else if (!due) {
    // A new one, told unasked: it stands at the top, unless something else is looked for.
    if (words) return;
    const old = [...takes];
    takes.clear();
    takes.set(id, one);
    for (const [key, value] of old) takes.set(key, value);
    changed();
  }
});

hear("/takes/end", (count) => {
  if (!due) return;
  due--;
  asking = false;
  if (again) {
    findTakes();
    return;
  }
  if (fresh.first) takes.clear();
  for (const one of fresh) takes.set(one.id, one);
  complete = count < pageSize;
  fresh = [];
  changed();
});

hear("/error", (address) => {
  if (address !== "/takes" && address !== "/takes/find") return;
  due = 0;
  asking = false;
  complete = true;
});

hear("/take/delete", (id) => {
  if (takes.delete(id)) changed();
});

/** Forgets what is under way: its answer was lost with the connection. */
export function resetTakes() {
  due = 0;
  asking = false;
  findTakes();
}

function changed() {
  for (const show of watchers) show();
}
