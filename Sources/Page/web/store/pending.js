// Values set on the page that the node has not confirmed: shown until confirmed, refused, or 300 ms old.

import { send, sendNewest } from "../link/socket.js";
import { fact, onTable } from "./table.js";
import { latest, listen, watch } from "./values.js";

const timeout = 300;
const pending = new Map();

/** The value to show: the pending one, or else the node's. */
export const shown = (address) => pending.has(address) ? pending.get(address).value : latest(address)?.[0];

/** Sends a value and shows it at once; calls settled() when the node's value applies again. */
export function set(address, value, settled) {
  clearTimeout(pending.get(address)?.timer);
  if (typeof value === "string") send(address, value);
  else sendNewest(address, value);
  awaitConfirmation(address);
  pending.set(address, { value, settled, timer: setTimeout(() => settle(address), timeout) });
}

/** Connects an element to an address: draw() runs now, and when the value or the table changes. Returns the function that sets the value. */
export function bind(element, address, draw) {
  onTable(() => {
    element.title = fact(address).help ?? "";
    draw();
  });
  watch(address, draw);
  draw();
  return (value) => {
    set(address, value, draw);
    draw();
  };
}

const listening = new Set();

function awaitConfirmation(address) {
  if (listening.has(address)) return;
  listening.add(address);
  listen(address, (value) => {
    const mine = pending.get(address)?.value;
    if (value === mine || value === Math.fround(mine)) settle(address);
  });
}

listen("/error", settle);

function settle(address) {
  const one = pending.get(address);
  if (!one) return;
  clearTimeout(one.timer);
  pending.delete(address);
  one.settled?.();
}
