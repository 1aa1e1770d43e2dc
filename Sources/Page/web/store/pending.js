// Values set on the page that the node has not confirmed: shown until confirmed, refused, or 300 ms old.

import { send, sendNewest } from "../link/socket.js";
import { hear, told } from "./values.js";

const patience = 300;
const pending = new Map();

/** The value to show: the pending one, or else the node's. */
export const shown = (address) => pending.has(address) ? pending.get(address).value : told(address)?.[0];

/** Sends a value and shows it at once; calls settled() when the node's value applies again. */
export function set(address, value, settled) {
  clearTimeout(pending.get(address)?.timer);
  if (typeof value === "string") send(address, value);
  else sendNewest(address, value);
  listen(address);
  pending.set(address, { value, settled, timer: setTimeout(() => settle(address), patience) });
}

const listening = new Set();

function listen(address) {
  if (listening.has(address)) return;
  listening.add(address);
  hear(address, (value) => {
    const mine = pending.get(address)?.value;
    if (value === mine || value === Math.fround(mine)) settle(address);
  });
}

hear("/error", settle);

function settle(address) {
  const one = pending.get(address);
  if (!one) return;
  clearTimeout(one.timer);
  pending.delete(address);
  one.settled?.();
}
