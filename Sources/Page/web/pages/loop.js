// The chosen loop: waveform, current and queued state, and buttons.

import { send } from "../link/socket.js";
import { announceNext } from "../parts/announce.js";
import { setUpControls } from "../parts/controls.js";
import { find, make } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { tap } from "../parts/tap.js";
import { setUpWave } from "../parts/wave.js";
import { nextFrame } from "../store/clock.js";
import { beatsToGo, chosenSlot, longestLoop, lookOf, runs, slot, watchChosenSlot, watchSlots } from "../store/loops.js";
import { set, shown } from "../store/pending.js";
import { fact } from "../store/table.js";
import { latest, listen, value, watch } from "../store/values.js";
import { capital, counted, time } from "../store/units.js";
import { setUpLoopSettings } from "./loopset.js";
import { setUpSlots } from "./slots.js";

const added = ["overdub", "replace", "substitute", "multiply", "insert"];
const lights = ["record", ...added, "play", "pause", "stop"];
const jump = 10;
const captionOf = (what) => captions[what] ?? capital(what);
const captions = { record: "Rec", overdub: "Over", substitute: "Subst", rewind: "Back", forward: "Ahead" };

// The target of a page's buttons: the chosen loop or, on the feed page, the player.
const chosen = {
  slot: () => slot(chosenSlot()),
  address: (what) => `/loop/${chosenSlot()}/${what}`,
  can(what) {
    const { state, length, waits } = this.slot();
    const isOn = runs(state);
    const isOver = state !== "recording" && length > 0;
    if (value("/lock") === 1 && (what === "clear" || what === "record" && isOver)) return false;
    if (added.includes(what)) return state === "recording" || isOn;
    switch (what) {
      case "record": return true;
      case "play": return state === "recording" || length > 0;
      case "stop": return state !== "empty" && state !== "stopped";
      case "pause": return state === "recording" || state === "paused" || isOn;
      case "undo": return latest(this.address("history"))?.[0] > 0;
      case "redo": return latest(this.address("history"))?.[1] > 0;
      case "clear": return length > 0;
      case "cancel": return waits !== "";
      case "once": case "rewind": case "forward": return length > 0 && state !== "recording";
      case "done": return chosenSlot() === 1 && latest("/player/controls")?.[5] === 1;
    }
  },
  press(what) {
    const { position, length } = this.slot();
    const go = (to) => send(this.address("position"), Math.min(length, Math.max(0, to)));
    switch (what) {
      case "rewind": return go(position - jump);
      case "forward": return go(position + jump);
      case "done": return send("/player/done");
      case "clear": {
        if (value("/lock") === 1) return notify("Locked: to unlock, hold Locked under All loops", "fault");
        const back = this.address("undo");
        send(this.address("clear"));
        return notify("Loop cleared", "info", ["Undo", () => send(back)]);
      }
      default: return send(this.address(what));
    }
  },
};
const names = ["record", "play", "stop", "rewind", "forward", "done"];
const player = {
  slot: () => slot(1),
  address: (what) => "/player/" + what,
  can: (what) => latest("/player/controls")?.[names.indexOf(what)] === 1,
  // What it does now, as an icon; empty if it has nothing to do.
  sign: (what) => latest("/player/controls")?.[names.indexOf(what) + names.length] ?? what,
  // What was opened to be heard gives back the clip that it covers.
  press: (what) => send("/player/" + (what === "done" && player.sign(what) === "close" ? "back" : what)),
};

/** Actions on the chosen loop, for keys. */
export const press = Object.fromEntries(
  ["record", ...added, "play", "pause", "stop", "undo", "redo", "once", "cancel", "rewind", "forward", "clear", "save"].map((what) => [what, () => chosen.press(what)]));
press.keep = (bars) => send(chosen.address("keep"), bars);

const speedWords = { 0.5: "half speed", 1: "full speed", 2: "double speed" };

/** Multiplies the speed of the chosen loop. */
export function scaleSpeed(factor) {
  const number = chosenSlot();
  const address = chosen.address("rate");
  const { min = 0.25, max = 4 } = fact(address);
  set(address, Math.min(max, Math.max(min, (shown(address) ?? 1) * factor)));
  announceNext(address, (rate) => `Loop ${number}, ${speedWords[rate] ?? "speed " + rate.toFixed(2)}`);
}

/** Reverses the chosen loop. */
export function toggleReverse() {
  const number = chosenSlot();
  const address = chosen.address("direction");
  set(address, shown(address) === -1 ? 1 : -1);
  announceNext(address, (direction) => `Loop ${number} ${direction < 0 ? "backwards" : "forwards"}`);
}

/** Sets up the loop page, and a loop's buttons on any page. */
export function setUpLoop() {
  const page = find("#loop");
  setUpSlots((part) => {
    page.dataset.part = part;
    page.dispatchEvent(new CustomEvent("part"));
  });
  setUpLoopSettings();
  const buttons = [...document.querySelectorAll("[data-presses]")].flatMap(setUpPresses);
  const wave = setUpWave(find("#wave"));
  const panel = find("#loop-face");
  const [word, clock, layers, next] = ["#loop-word", "#loop-time", "#loop-layers", "#loop-next"].map((id) => find(id));
  const face = find("#loop-icon use");
  let drawn;

  const draw = () => {
    const one = chosen.slot();
    const { state, position, length, waits } = one;
    const look = lookOf(state);
    panel.dataset.state = state;
    panel.dataset.waits = waits;
    panel.dataset.tone = look.tone;
    if (word.textContent !== look.word) word.textContent = look.word;
    if (drawn !== chosenSlot()) find("#loop-number").textContent = drawn = chosenSlot();
    face.setAttribute("href", "#i-" + look.icon);
    clock.textContent = state === "recording" ? time(length || position) : length ? `${time(position)} of ${time(length)}` : `up to ${time(longestLoop()).replace(".0", "")}`;
    layers.textContent = one.layers ? counted(one.layers, "overdub") : "";
    const coming = waits ? lookOf(waits).word : "";
    const beats = beatsToGo(one);
    next.textContent = coming ? `\u2192 ${coming}${beats === undefined ? ", waiting for sound" : " in " + beats}` : "";
    for (const { button, what, of } of buttons) drawButton(button, what, of);
    wave.show();
  };
  const drawButton = (button, what, of) => {
    const { state, position, length, waits } = of.slot();
    const lit = lookOf(state).button;
    const next = waits && lookOf(waits).button;
    button.setAttribute("aria-disabled", String(!of.can(what)));
    if (lights.includes(what)) button.setAttribute("aria-pressed", String(what === lit));
    // Like a pedal's light, it blinks while its start or end is queued. Playing goes on under an overdub.
    const ends = what === lit && !(what === "play" && runs(waits));
    button.classList.toggle("will", Boolean(waits) && (what === next || ends));
    button.dataset.press = of.address(what);
    if (of === player) drawSign(button, what, of.sign(what));
    else if (what === "done") button.hidden = chosenSlot() > 1;
    const part = what !== lit ? 0 : state === "recording" ? (length || position) / longestLoop() : what === "stop" || what === "pause" ? 0 : position / (length || 1);
    button.style.setProperty("--run", Math.min(1, part));
  };
  const drawSign = (button, what, sign) => {
    button.hidden = sign === "";
    if (!sign || button.dataset.icon === sign) return;
    button.dataset.icon = sign;
    find("use", button).setAttribute("href", "#i-" + sign);
    find("span", button).textContent = captionOf(sign);
    // Recording, two buttons read Stop.
    if (what === "record" && sign === "stop") button.setAttribute("aria-label", "Stop recording");
    else button.removeAttribute("aria-label");
  };
  const show = () => nextFrame(draw);
  const update = (number) => {
    if (number === chosenSlot()) wave.moved();
    show();
    watchHistory(number, show);
  };
  watchSlots(update);
  watchChosenSlot((number) => {
    wave.turned();
    update(number);
  });
  watch("/player/controls", show);
  watch("/lock", show);

  listen("/reply", (address, id, title) => {
    if (address === "/take/save" || /^\/loop\/\w+\/save$/.test(address)) notify(`Saved as a take: ${title}`, "done");
  });
}

/** Makes the buttons that a group names; those of the feed's player act on the player. */
function setUpPresses(group) {
  const of = group.matches(".feed-player") ? player : chosen;
  const buttons = group.dataset.presses.split(" ").map((what) => {
    const button = make("button", "press", { type: "button", "data-loop": what, "data-icon": what }, captionOf(what));
    tap(button, () => button.getAttribute("aria-disabled") === "true" || of.press(what));
    return { button, what, of };
  });
  group.replaceChildren(...buttons.map(({ button }) => button));
  setUpControls(group);
  return buttons;
}

const watched = new Set();

function watchHistory(number, show) {
  if (watched.has(number)) return;
  watched.add(number);
  watch(`/loop/${number}/history`, show);
}
