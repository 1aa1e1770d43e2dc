// The takes fetched so far, newest first.

import { send } from "../link/socket.js";
import { pagedList, pageSize } from "./paged.js";
import { listen } from "./values.js";

let words = "";
const newcomers = new Set();

const list = pagedList({
  item: "/take",
  end: "/takes/end",
  commands: ["/takes", "/takes/find"],
  deleted: "/take/delete",
  read: (id, title, species, date, seconds, north, east) => ({ id, title, species, date, seconds, north, east }),
  send({ items }, isMore) {
    const page = [isMore ? items.size : 0, pageSize];
    return words ? send("/takes/find", words, ...page) : send("/takes", ...page);
  },
  // A new take goes to its place by date, unless a search is active.
  announced(list, take) {
    // Changes of older takes, which the list doesn't have yet, are announced, too.
    const [newest] = list.items.values();
    if (!newest || Date.parse(newest.date) <= Date.parse(take.date)) for (const show of newcomers) show(take);
    if (words) return;
    const all = [...list.items.values()];
    const next = all.findIndex(({ date }) => Date.parse(date) <= Date.parse(take.date));
    // Older than those fetched so far.
    if (next < 0 && !list.complete) return;
    all.splice(next < 0 ? all.length : next, 0, take);
    list.items = new Map(all.map((one) => [one.id, one]));
    list.changed();
  },
});

// Another program has changed the library.
listen("/takes/changed", () => list.query());

/** Why the last query failed; empty if it did not. */
export const takesFault = () => list.fault;

/** Calls show() when the list changes. */
export const watchTakes = list.watch;

/** Calls show(take) for a new take. */
export const watchNewTakes = (show) => newcomers.add(show);

/** The takes found, in order: {id, title, species, date, seconds, north, east}. */
export const foundTakes = () => [...list.items.values()];

/** A take by id. */
export const take = (id) => list.items.get(id);

/** The search text. */
export const searchText = () => words;

/** Queries all takes again, or those with these words. */
export function findTakes(text = words) {
  words = text;
  list.query();
}

/** Queries the next page, if there is one. */
export const moreTakes = () => list.isQuerying() || list.query(true);

// As many as have thumbnails in memory.
const mostOnMap = 180;

/** Queries the next page for the map, which can't be scrolled; returns whether these are all takes. */
export function moreForMap() {
  if (list.items.size < mostOnMap) moreTakes();
  return list.complete || list.items.size < mostOnMap;
}

/** Queries the takes again after a new connection. */
export function resetTakes() {
  list.reset();
  list.query();
}
