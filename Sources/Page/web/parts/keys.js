// Keyboard shortcuts.

import { press } from "../pages/loop.js";
import { chosenPedal, showSlot } from "../pages/slots.js";
import { pages, stopAll, toggleMute } from "../pages/stage.js";
import { send } from "../link/socket.js";
import { chosenSlot, slot } from "../store/loops.js";
import { set, shown } from "../store/pending.js";
import { find } from "./make.js";
import { notify } from "./notice.js";
import { toggleSheet } from "./sheet.js";

const piano = { a: 1, s: 2, d: 3, f: 4, g: 5, h: 6, j: 7 };
const down = new Set();
// How long the first of two keys counts, in milliseconds, as in `syrinx watch`.
const patience = 3000;
// The first of two keys: what it does, the loop, and until when it counts.
let first;

/** Sets up the page's shortcuts, which don't apply in text fields. */
export function setUpKeys() {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (piano[key] && !event.repeat && isPianoShown()) {
      down.add(key);
      send("/piano/" + piano[key], 0.8);
      return;
    }
    if (event.repeat) return;
    const digit = Number(/^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1]);
    const turn = event.shiftKey && pages[digit - 1];
    const asked = first?.number === chosenSlot() && event.timeStamp < first.end ? first.what : "";
    const keeps = asked === "keep" && digit && !turn;
    const act = turn ? () => (location.hash = turn)
      : keeps ? () => press.keep(digit)
      : (event.shiftKey && forAll[key]) || actions[key] || (digit && (() => showSlot(digit)));
    if (!act || (key === " " && event.target.closest("button, a, [role=switch]"))) return;
    event.preventDefault();
    first = undefined;
    act(asked);
  });
  addEventListener("keyup", (event) => {
    lift(event.key.toLowerCase());
    if (event.key === " ") chosenPedal.lift("key");
  });
  const liftAll = () => {
    down.forEach(lift);
    chosenPedal.lift("key");
  };
  addEventListener("blur", liftAll);
  addEventListener("hashchange", liftAll);
}

const isPianoShown = () => document.body.dataset.page === "grid" || find("#play-piano").checkVisibility();

const lift = (key) => {
  if (down.delete(key)) send("/piano/" + piano[key], 0);
};

function muteChosen() {
  const address = `/loop/${chosenSlot()}/mute`;
  set(address, shown(address) === 1 ? 0 : 1);
}

function ask(what, words) {
  first = { what, number: chosenSlot(), end: performance.now() + patience };
  notify(words);
}

function clearTwice(asked) {
  const number = chosenSlot();
  if (!slot(number).length) return;
  if (asked === "clear") press.clear();
  else ask("clear", `C again clears loop ${number}`);
}

const actions = {
  " ": () => chosenPedal.press("key"),
  t: () => send("/metronome/tap"),
  m: muteChosen,
  c: clearTwice,
  k: () => ask("keep", `A digit keeps that many bars in loop ${chosenSlot()}`),
  "?": () => toggleSheet("keys"),
};
const presses = {
  r: "record", o: "overdub", p: "play", x: "stop", u: "undo", y: "redo", z: "pause", v: "cancel", n: "once",
  e: "replace", b: "substitute", l: "multiply", i: "insert", ",": "rewind", ".": "forward", w: "save",
};
for (const [key, what] of Object.entries(presses)) actions[key] = press[what];

const forAll = { m: toggleMute, x: stopAll };

const isWriting = (element) => element.matches("input:not([type=range]), textarea, select");
