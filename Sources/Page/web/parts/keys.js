// Keyboard shortcuts.

import { press } from "../pages/loop.js";
import { chosenPedal } from "../pages/slots.js";
import { pages, toggleMute } from "../pages/stage.js";
import { send } from "../link/socket.js";
import { chooseSlot } from "../store/loops.js";
import { toggleSheet } from "./sheet.js";

const piano = { a: 1, s: 2, d: 3, f: 4, g: 5, h: 6, j: 7 };
const down = new Set();

/** Sets up the page's shortcuts, which don't apply in text fields. */
export function setUpKeys() {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (document.body.dataset.page === "grid" && piano[key] && !event.repeat) {
      down.add(key);
      send("/piano/" + piano[key], 0.8);
      return;
    }
    if (event.repeat) return;
    const digit = Number(/^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1]);
    const turn = event.shiftKey && pages[digit - 1];
    const act = turn ? () => (location.hash = turn) : actions[key] ?? (digit && (() => chooseSlot(digit)));
    if (!act || (key === " " && event.target.closest("button, a, [role=switch]"))) return;
    event.preventDefault();
    act();
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

const lift = (key) => {
  if (down.delete(key)) send("/piano/" + piano[key], 0);
};

const actions = {
  " ": () => chosenPedal.press("key"),
  p: press.play,
  r: press.record,
  o: press.overdub,
  u: press.undo,
  x: press.stop,
  t: () => send("/metronome/tap"),
  m: toggleMute,
  "?": () => toggleSheet("keys"),
};

const isWriting = (element) => element.matches("input:not([type=range]), textarea, select");
