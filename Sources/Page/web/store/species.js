// Names of species that the node knows, asked for as somebody types.

import { onLink, send } from "../link/socket.js";
import { hear } from "./values.js";

let names = [];
let waiting = [];

/** The names of which a word begins so, those that were used most first; none without a connection. */
export function speciesNames(beginning) {
  return new Promise((done) => {
    if (send("/species", beginning)) waiting.push(done);
    else done([]);
  });
}

hear("/species/name", (name) => names.push(name));
hear("/species/end", () => answer(names));
hear("/error", (address) => address === "/species" && answer([]));

// What was asked for is lost with the connection.
onLink((state) => {
  while (state !== "open" && waiting.length) answer([]);
});

function answer(found) {
  names = [];
  waiting.shift()?.(found);
}
