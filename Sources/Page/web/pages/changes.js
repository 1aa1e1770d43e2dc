// Announces changes for screen readers: of the loops, scenes, takes, and the connection. The state at load, levels,
// beats and positions are not announced.

import { onLink } from "../link/socket.js";
import { announce } from "../parts/announce.js";
import { slot, watchChosenSlot, watchSlots } from "../store/loops.js";
import { take, watchNewTakes } from "../store/takes.js";
import { counted, spokenTime } from "../store/units.js";
import { listen, watch } from "../store/values.js";

/** Sets up the announcements. */
export function setUpChanges() {
  watchLoops();
  watchLink();
  onChange("/mute", (muted) => muted ? "Output muted" : "Output unmuted");
  onChange("/lock", (locked) => locked ? "All recordings locked" : "Recordings unlocked");
  onChange("/chain/bypass", (bypassed) => bypassed ? "Effects bypassed" : "Effects on");
  onChange("/preset", (name) => name ? `Preset ${name}` : "");
  onChange("/setlist/scene", (number, count, title) => number > 0 ? `Scene ${title}, ${number} of ${count}` : "No scene");
  onChange("/scene/queued", (name, moment) => name && `${name} at the next ${moment}`);
  onChange("/capture/on", (on) => on ? "Recording to disk" : "Recording to disk ended");
  onChange("/phrase/state", (state) => `Phrase ${state}`);
  onChange("/take/playing", (id) => id ? `${take(id)?.title ?? "A take"} playing` : "Take stopped");
  onChange("/music/state", (state, number, title) => state === "playing" ? title || `Song ${number}` : state === "stopped" ? "Songs stopped" : undefined);
  onChange("/feed/waiting", (count) => count > 0 && `${counted(count, "post")} waiting for the feed server`);
  onChange("/guard/notches", (...pairs) => `Feedback guard: ${counted(pairs.length / 2, "notch").replace("notchs", "notches")}`);
  // The same key as the notice of the page that has saved it.
  watchNewTakes(({ title }) => announce("notice", `New take: ${title}`));
}

/** Announces words(...values) when they change; undefined keeps the previous words. */
function onChange(address, words) {
  let before;
  watch(address, (...values) => {
    const now = words(...values);
    if (now === undefined) return;
    if (before !== undefined && now !== before) announce(address, now);
    before = now;
  });
}

function watchLink() {
  let isLost = false;
  onLink((state) => {
    if (state === "lost") announce("link", "Connection lost");
    else if (state === "refused") announce("link", "Not paired");
    else if (state === "open" && isLost) announce("link", "Reconnected");
    isLost = state === "lost" || state === "refused";
  });
}

// Loops are compared with their last announced state, so that only the last of several changes is announced.

const announced = new Map();
const changed = new Set();

function watchLoops() {
  watchSlots((number) => {
    const now = summary(number);
    // The first message is the state at load.
    if (!announced.has(number)) announced.set(number, now);
    if (announced.get(number).id === now.id) return;
    changed.add(number);
    announce("loops", changedLoops);
  });
  let isKnown = false;
  watchChosenSlot((number) => {
    if (isKnown) announce("chosen", () => `Loop ${number} selected, ${stateWords(slot(number))}`);
  });
  listen("/loop/select", () => (isKnown = true));
}

function summary(number) {
  const { state, waits, layers } = slot(number);
  return { id: [state, waits, layers].join(), state, waits, layers };
}

function changedLoops() {
  // The loops with the same change are announced together.
  const alike = new Map();
  for (const number of [...changed].sort((one, other) => one - other)) {
    const words = changeWords(announced.get(number), number);
    announced.set(number, summary(number));
    if (words) alike.set(words, [...(alike.get(words) ?? []), number]);
  }
  changed.clear();
  return [...alike].map(([words, numbers]) => `${numbers.length > 1 ? "Loops" : "Loop"} ${joined(numbers)} ${words}`).join(". ");
}

function changeWords(before, number) {
  const now = slot(number);
  if (summary(number).id === before.id) return "";
  if (now.state !== before.state) return stateWords(now) + (now.waits ? `, next ${now.waits}` : "");
  if (now.waits !== before.waits) return now.waits ? `next ${now.waits}` : `queue cleared, ${now.state}`;
  return now.layers ? `with ${counted(now.layers, "overdub")}` : "without overdubs";
}

function stateWords({ state, length, layers }) {
  const isTimed = length > 0 && (state === "playing" || state === "stopped");
  return [state, isTimed && spokenTime(length), isTimed && layers > 0 && counted(layers, "overdub")].filter(Boolean).join(", ");
}

const joined = (numbers) => numbers.length > 1 ? `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}` : String(numbers[0]);
