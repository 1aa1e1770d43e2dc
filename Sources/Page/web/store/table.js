// The node's address table: range, words, unit, curve, default and help of each address.

import { authorization, isOpen } from "../link/socket.js";

// OSCQuery has its own names for some units.
const units = { "gain.db-raw": "dB", "time.hz": "Hz", "time.second": "s", "time.bpm": "beats/min", "angle.degree": "degrees" };

const facts = new Map();
const waiting = new Set();

const pause = 500;
let retry;

/** Fetches the table, then calls everyone who waits for it; retries while the node is connected. */
export async function fetchTable() {
  clearTimeout(retry);
  const table = await requestTable();
  if (table) {
    take(table);
    for (const ready of waiting) ready();
  } else if (isOpen()) {
    clearTimeout(retry);
    retry = setTimeout(fetchTable, pause);
  }
}

// A node that ends closes the connection, and a busy one refuses it.
async function requestTable() {
  try {
    const response = await fetch("/?", { headers: { Accept: "application/json", ...authorization() } });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** Calls ready() when the table has arrived. */
export function onTable(ready) {
  waiting.add(ready);
  if (facts.size) ready();
}

/** The facts of an address: {min, max, words, unit, curve, initial, help, types}. */
export const fact = (address) => facts.get(address) ?? {};

function take(node) {
  if (node.TYPE !== undefined || !node.CONTENTS) {
    const range = node.RANGE?.[0] ?? {};
    const [unit = ""] = [node.UNIT ?? ""].flat();
    facts.set(node.FULL_PATH, {
      min: range.MIN,
      max: range.MAX,
      words: range.VALS ?? [],
      unit: units[unit] ?? unit,
      curve: [node.CURVE ?? []].flat()[0],
      initial: [node.DEFAULT ?? []].flat()[0],
      help: node.DESCRIPTION ?? "",
      types: node.TYPE ?? "",
    });
  }
  for (const child of Object.values(node.CONTENTS ?? {})) take(child);
}
