// Announcements for screen readers: a polite region, and one for refusals that interrupts.

import { listen } from "../store/values.js";
import { find } from "./make.js";

// The time to gather simultaneous changes, and the least time between two announcements, in milliseconds.
const gathering = 100;
const apart = 500;

const regions = { polite: makeRegion("#announced"), assertive: makeRegion("#refused") };

/**
 * Announces words, in place of those that wait under the same key. A function is called when they are due;
 * empty words are not announced.
 */
export const announce = (key, words, region = "polite") => regions[region](key, words);

const due = new Map();
const listening = new Set();

/** Announces words(value) for the next value of an address, which a key press has sent. */
export function announceNext(address, words) {
  due.set(address, words);
  if (listening.has(address)) return;
  listening.add(address);
  listen(address, (value) => {
    if (due.has(address)) announce(address, due.get(address)(value));
    due.delete(address);
  });
}

function makeRegion(selector) {
  const element = find(selector);
  const waiting = new Map();
  let last = -apart;
  let timer;
  const flush = () => {
    timer = undefined;
    const words = [...waiting.values()].map((one) => typeof one === "function" ? one() : one).filter(Boolean).join(". ");
    waiting.clear();
    if (!words) return;
    last = performance.now();
    // Screen readers don't repeat unchanged text.
    element.textContent = element.textContent === words ? words + "\u00a0" : words;
  };
  return (key, words) => {
    waiting.set(key, words);
    timer ??= setTimeout(flush, Math.max(gathering, last + apart - performance.now()));
  };
}
