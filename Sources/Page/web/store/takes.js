// The takes fetched so far, newest first.

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
// Several replies can be in flight; only the last query's is used.
let due = 0;

/** Calls show() when the list changes. */
export function watchTakes(show) {
  watchers.add(show);
}

/** The takes found, in order: {id, title, species, date, seconds, north, east}. */
export const foundTakes = () => [...takes.values()];

/** A take by id. */
export const take = (id) => takes.get(id);

/** The search text, and whether there are more takes. */
export const search = () => ({ words, complete, asking });

/** Queries all takes again, or those with these words. */
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

/** Queries the next page, if there is one. */
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
    // A new take, announced: it goes to the top, unless a search is active.
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

/** Drops queries in flight, whose replies were lost with the connection. */
export function resetTakes() {
  due = 0;
  asking = false;
  findTakes();
}

function changed() {
  for (const show of watchers) show();
}
