// All loops at once, each with one large button, gain, mute and undo.

import { fader } from "../parts/fader.js";
import { flag } from "../parts/flag.js";
import { find, icon, make, makeButton } from "../parts/make.js";
import { pedal } from "../parts/pedal.js";
import { tap } from "../parts/tap.js";
import { eachFrame, nextFrame } from "../store/clock.js";
import { beatsToGo, chooseSlot, chosenSlot, lookOf, moves, playhead, slot, watchChosenSlot, watchSlotCount, watchSlots } from "../store/loops.js";
import { send } from "../link/socket.js";
import { counted } from "../store/units.js";
import { value, watch } from "../store/values.js";

const mostSideBySide = 4;
// Where there is no room for all loops and the chosen one; the style sheet has the same sizes.
const small = matchMedia("(max-width: 699px), (max-height: 520px)");
const cards = [];

/** Sets up the loops and their selection; turn(part) shows all, or the chosen one. */
export function setUpSlots(turn) {
  const list = find("#slots");
  const mark = () => cards.forEach(({ element }, at) => element.classList.toggle("chosen", at + 1 === chosenSlot()));
  watchSlotCount((count) => {
    while (cards.length < count) cards.push(card(cards.length + 1));
    list.replaceChildren(...cards.slice(0, count).map(({ element }) => element));
    list.dataset.count = count;
    setUpChoice(count, turn);
    mark();
  });
  watchSlots((number) => nextFrame(cards[number - 1].draw));
  watchChosenSlot(mark);
}

/** The pedal of the chosen loop. */
export const chosenPedal = {
  press: (by) => cards[chosenSlot() - 1]?.foot.press(by),
  lift: (by) => cards.forEach(({ foot }) => foot.lift(by)),
};

let turnTo = () => {};

/** Chooses a loop and, on a small screen, shows it. */
export function showSlot(number) {
  if (number > cards.length) return;
  chooseSlot(number);
  turnTo("one");
}

// On a small screen, one button shows all loops, the others one of them.
function setUpChoice(count, turn) {
  const all = makeButton("all", { "aria-pressed": "false" }, () => turn("slots"), "All");
  const choice = find("#loop-choice");
  const few = count <= mostSideBySide;
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  turnTo = turn;
  const buttons = few ? numbers.map((number) => makeButton("number", { "aria-label": `Loop ${number}` }, () => showSlot(number), String(number))) : [];
  const select = make("select", "", { "aria-label": "Chosen loop" }, ...numbers.map((number) => make("option", "", { value: number }, `Loop ${number}`)));
  select.addEventListener("change", () => showSlot(Number(select.value)));
  // The loop already chosen can be shown, too.
  select.addEventListener("pointerdown", () => turn("one"));
  choice.replaceChildren(all, ...(few ? buttons : [make("label", "pick", {}, select)]));
  const mark = () => {
    const one = !small.matches || find("#loop").dataset.part === "one";
    all.setAttribute("aria-pressed", String(!one));
    buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(one && at + 1 === chosenSlot())));
    select.value = chosenSlot();
  };
  mark();
  watchChosenSlot(mark);
  find("#loop").addEventListener("part", mark);
  small.addEventListener("change", mark);
}

function card(number) {
  const of = (part) => `/loop/${number}/${part}`;
  const [word, more, next, sign] = [make("b", "slot-word"), make("small"), make("span", "slot-next", { hidden: true }), icon("plus")];
  const run = make("i", "run");
  // MIDI learn reads the address from it.
  const button = make("button", "press pedal", { type: "button", "data-press": of("pedal") },
    run, make("span", "slot-number", {}, String(number)), sign, make("span", "slot-words", {}, word, more, next));
  const mute = make("button", "press slot-mute", { type: "button", "data-address": of("mute"), "aria-label": `Mute loop ${number}` }, icon("muted"), make("span", "", {}, "Mute"));
  const undo = make("button", "press", { type: "button", "data-press": of("undo"), "aria-label": `Undo in loop ${number}` }, icon("undo"), make("span", "", {}, "Undo"));
  const gain = make("div", "fader", { "data-address": of("gain"), "data-label": `Gain of loop ${number}` }, "Gain");
  gain.dataset.lockable = "";
  gain.inert = document.body.classList.contains("locked");
  const element = make("section", "slot", { "data-slot": number, "data-state": "empty", "aria-label": `Loop ${number}` }, button, mute, undo, gain);
  fader(gain);
  flag(mute, tap);
  tap(undo, () => undo.getAttribute("aria-disabled") === "true" || send(of("undo")));
  const foot = pedal(button, of("pedal"));

  const follow = (now) => {
    run.style.transform = `scaleX(${playhead(number, now)})`;
    return moves(slot(number)) && !document.hidden && element.offsetParent !== null;
  };
  const draw = () => {
    const one = slot(number);
    const look = lookOf(one.state);
    const coming = one.waits ? lookOf(one.waits) : undefined;
    element.dataset.state = one.state;
    element.dataset.waits = one.waits;
    element.dataset.tone = look.tone;
    element.dataset.coming = coming?.tone ?? "";
    element.classList.toggle("filled", look.fills);
    const beats = beatsToGo(one);
    const layers = one.layers ? counted(one.layers, "overdub") : "";
    set(word, look.word);
    set(more, coming ? "" : layers);
    find("use", sign).setAttribute("href", "#i-" + look.icon);
    next.hidden = !coming;
    if (coming && next.dataset.icon !== coming.icon) next.replaceChildren(icon(coming.icon), make("b", "", {}, coming.word), make("span"));
    next.dataset.icon = coming?.icon ?? "";
    if (coming) set(find("span", next), beats === undefined ? "" : String(beats));
    // The looks have labels for buttons, such as "Play", not states.
    const words = [`Loop ${number}: ${one.state}`, layers, coming && `then ${one.waits}`].filter(Boolean).join(", ");
    if (button.getAttribute("aria-label") !== words) button.setAttribute("aria-label", words);
    eachFrame(follow);
  };
  const enable = () => undo.setAttribute("aria-disabled", String(!(value(of("history"), 0) > 0)));
  watch(of("history"), enable);
  enable();
  draw();
  return { element, draw, foot };
}

// Screen readers would repeat unchanged text.
const set = (element, text) => element.textContent === text || (element.textContent = text);
