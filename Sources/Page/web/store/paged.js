// Lists of the node that are fetched a page at a time, and kept current by announcements.

import { listen, onError } from "./values.js";

/** The number of items per page. */
export const pageSize = 30;

/**
 * Makes a list of the items with ids that an address reports, up to an end message with their count.
 * read(...arguments) makes an item; send(list, isMore) queries a page, and returns whether it was sent;
 * announced(list, item) is called for an item that no query caused.
 */
export function pagedList({ item, end, commands, deleted, read, send, announced }) {
  const watchers = new Set();
  // The page on its way, and whether to begin again after it.
  let coming;
  let again = false;
  const list = {
    items: new Map(),
    complete: false,
    fault: "",
    /** Calls show() when the list changes. */
    watch: (show) => watchers.add(show),
    changed: () => watchers.forEach((show) => show()),
    /** Whether items on their way belong to a query. */
    isQuerying: () => coming !== undefined,
    find: (id) => coming?.rows.findLast((one) => one.id === id) ?? list.items.get(id),
    /** Queries the first page again, or the next one. */
    query(isMore = false) {
      if (coming) again ||= !isMore;
      else if (!(isMore && list.complete) && send(list, isMore)) coming = { isMore, rows: [], gone: new Set() };
    },
    /** Drops a query whose reply was lost. */
    reset() {
      coming = undefined;
      again = false;
    },
  };
  listen(item, (...values) => {
    const one = read(...values);
    coming?.rows.push(one);
    if (list.items.has(one.id)) {
      list.items.set(one.id, one);
      list.changed();
    } else if (!coming) announced(list, one);
  });
  listen(end, (count) => {
    if (!coming) return;
    const { isMore, rows, gone } = coming;
    coming = undefined;
    if (again) {
      again = false;
      return list.query();
    }
    // Other messages about items may have come before those of the page.
    const page = rows.splice(rows.length - count);
    list.items = new Map([...(isMore ? list.items : []), ...page.filter(({ id }) => !gone.has(id)).map((one) => [one.id, one])]);
    list.complete = count < pageSize;
    list.fault = "";
    for (const one of rows) if (!list.items.has(one.id) && !gone.has(one.id)) announced(list, one);
    list.changed();
  });
  for (const command of commands) onError(command, (code, text) => {
    if (!coming) return;
    const { isMore } = coming;
    const isOld = again;
    list.reset();
    // Another query has superseded it.
    if (isOld) return list.query();
    if (!isMore) list.items = new Map();
    list.complete = true;
    list.fault = text;
    list.changed();
  });
  listen(deleted, (id) => {
    coming?.gone.add(id);
    if (list.items.delete(id)) list.changed();
  });
  return list;
}
