// Species names, queried from the node while typing.

import { onLink, send } from "../link/socket.js";
import { collect, onError } from "./values.js";

let waiting = [];

/** The names with a word that starts like this, most used first; none without a connection. */
export function speciesNames(beginning) {
  return new Promise((done) => {
    if (send("/species", beginning)) waiting.push(done);
    else done([]);
  });
}

const drop = collect("/species/name", "/species/end", (rows) => resolveFirst(rows.flat()));
onError("/species", () => resolveFirst([]));

// Queries in flight are lost with the connection.
onLink((state) => {
  while (state !== "open" && waiting.length) resolveFirst([]);
});

function resolveFirst(found) {
  drop();
  waiting.shift()?.(found);
}
