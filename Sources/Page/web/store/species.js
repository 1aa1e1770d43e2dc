// Species names, queried from the node while typing.

import { onLink, send } from "../link/socket.js";
import { hear } from "./values.js";

let names = [];
let waiting = [];

/** The names with a word that starts like this, most used first; none without a connection. */
export function speciesNames(beginning) {
  return new Promise((done) => {
    if (send("/species", beginning)) waiting.push(done);
    else done([]);
  });
}

hear("/species/name", (name) => names.push(name));
hear("/species/end", () => answer(names));
hear("/error", (address) => address === "/species" && answer([]));

// Queries in flight are lost with the connection.
onLink((state) => {
  while (state !== "open" && waiting.length) answer([]);
});

function answer(found) {
  names = [];
  waiting.shift()?.(found);
}
