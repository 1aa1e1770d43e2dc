// Dispatch of the keyboard shortcuts, and the dialog that lists them.

import { press, toggleReverse, scaleSpeed } from "../pages/loop.js";
import { chosenPedal, showSlot } from "../pages/slots.js";
import { pages, stopAll, toggleMute } from "../pages/stage.js";
import { renameTake, showTakeList, trashTake } from "../pages/takes.js";
import { send } from "../link/socket.js";
import { chosenSlot, slot } from "../store/loops.js";
import { set, shown } from "../store/pending.js";
import { find, make, makeButton } from "./make.js";
import { notify, pressNotice } from "./notice.js";
import { typeIn } from "./rows.js";
import { toggleSheet } from "./sheet.js";
import { areShortcutsOn, digitOf, setShortcuts, shortcutOf, shortcuts } from "./shortcuts.js";

const pianoKeys = [..."ASDFGHJ"];
const down = new Set();
// The time for the second of two keys, in milliseconds, as in `syrinx watch`.
const patience = 3000;
// The first of two keys: its action, the loop, and until when it counts.
let first;

/** Sets up the page's shortcuts, which don't apply in text fields. */
export function setUpKeys() {
  fillList(find("#keys"));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && isWriting(event.target) && event.target === document.activeElement) event.target.blur();
    if (!areShortcutsOn() || isWriting(event.target)) return;
    const row = shortcutOf(event);
    const act = row && actions[row.action];
    if (row?.action === "piano" && !isPianoShown()) return;
    if (!act || event.repeat && row.action !== "piano") return;
    if (row.key === "Space" && event.target.closest("button, a, summary, audio, [role=switch], .scroll[tabindex]")) return;
    const digit = digitOf(event);
    const asked = first?.number === chosenSlot() && event.timeStamp < first.end ? first.action : "";
    const second = digit !== undefined && !event.shiftKey && seconds[asked];
    first = undefined;
    if (second) second(digit);
    else if (act(row.argument, { digit, asked, event }) === false) return;
    event.preventDefault();
  });
  addEventListener("keyup", (event) => {
    // Shift may have been pressed since.
    lift(shortcutOf({ key: event.key, code: event.code })?.key);
    if (event.key === " ") chosenPedal.lift("key");
  });
  const liftAll = () => {
    down.forEach(lift);
    chosenPedal.lift("key");
  };
  addEventListener("blur", liftAll);
  addEventListener("hashchange", liftAll);
}

const isWriting = (element) => element.matches("input:not([type=range]), textarea, select") || Boolean(element.closest("[data-typing]"));

const isPianoShown = () => document.body.dataset.page === "grid" || find("#play-piano").checkVisibility();

const lift = (key) => {
  if (down.delete(key)) send(`/piano/${pianoKeys.indexOf(key) + 1}`, 0);
};

function ask(action, words) {
  first = { action, number: chosenSlot(), end: performance.now() + patience };
  if (words) notify(words);
}

// Each gets the argument of its row, and {digit, asked, event}; one that returns false has not used the key.
const actions = {
  pedal: () => chosenPedal.press("key"),
  select: (_, { digit }) => showSlot(digit),
  selectTen() {
    showSlot(10);
    ask("selectTen");
  },
  press: (what) => press[what](),
  speed: scaleSpeed,
  reverse: toggleReverse,
  mute() {
    const address = `/loop/${chosenSlot()}/mute`;
    set(address, shown(address) === 1 ? 0 : 1);
  },
  keep: () => ask("keep", `Press a digit to keep that many bars in loop ${chosenSlot()}`),
  clear(_, { asked }) {
    const number = chosenSlot();
    if (!slot(number).length) return;
    if (asked === "clear") press.clear();
    else ask("clear", `Press C again to clear loop ${number}`);
  },
  muteAll: toggleMute,
  stopAll,
  tap: () => send("/metronome/tap"),
  noticed: pressNotice,
  page: (_, { digit }) => pages[digit - 1] ? go("page " + pages[digit - 1]) : false,
  go,
  trash: (_, { event }) => withRow(event, trashTake),
  rename: (_, { event }) => withRow(event, renameTake),
  piano(_, { event }) {
    const { key } = shortcutOf(event);
    if (event.repeat) return;
    down.add(key);
    send(`/piano/${pianoKeys.indexOf(key) + 1}`, 0.8);
  },
  list: () => toggleSheet("keys"),
};

/** Whether an action exists for a row and its argument; for tests. */
export const hasAction = (action, argument) => action in actions && (action !== "press" || argument in press) && (action !== "go" || argument in places);

// The digits after the first of two keys.
const seconds = {
  keep: (digit) => press.keep(digit || 10),
  selectTen: (digit) => showSlot(10 + digit),
};

function withRow({ target }, act) {
  const row = target.closest("#take-list [data-take]");
  return row ? act(row.dataset.take) : false;
}

// The page of a shortcut and the controls that it focuses in turn; | separates alternatives.
const places = {
  "page play": ["play", "#play-presses button"],
  "page voice": ["voice", "#preset-list [aria-pressed=true]|#preset-list button|#voice .bar button"],
  "page loop": ["loop", ".slot.chosen .pedal|#loop .large button"],
  "page grid": ["grid", "#cells [tabindex='0']|#piano [tabindex='0']"],
  "page takes": ["takes", "#take-record|#take-play|#song-play"],
  "page feed": ["feed", "#feed-posts button|#feed .feed-player button|#feed-clip"],
  "page rig": ["rig", "#rig .rig input|#rig .views button"],
  loop: ["loop", ".slot.chosen .pedal|#loop .large button", ".slot.chosen .fader input", "#wave input"],
  presets: ["voice", "#preset-list [aria-pressed=true]|#preset-list button"],
  pitch: ["voice", "#unit-pitch .fader input", "#unit-pitch .head", "#unit-pitch [data-address='/pitch/formant'] input"],
  echo: ["voice", "#unit-echo .fader input", "#unit-echo .head", "#unit-echo [data-address='/echo/time'] input", "#unit-echo [data-address='/echo/feedback'] input"],
  reverb: ["voice", "#unit-reverb .fader input", "#unit-reverb .head", "#unit-reverb [data-address='/reverb/decay'] input", "#unit-reverb [data-address='/reverb/size'] input"],
  bypass: ["voice", "#voice [data-address='/chain/bypass']"],
  notes: ["grid", "#cells [tabindex='0']", "#piano [tabindex='0']"],
  root: ["grid", "#grid select[data-address='/grid/root']"],
  scale: ["grid", "#grid select[data-address='/grid/scale']"],
  instrument: ["grid", "#grid select[data-address='/grid/instrument']"],
  octave: ["grid", "#grid [data-address='/piano/octave'] button:last-child", "#grid [data-address='/piano/octave'] button"],
  record: ["takes", "#take-record"],
  search: ["takes", "#take-search"],
  takes: ["takes", "#take-list .is .take-play|#take-list .take-play|#take-search"],
  songs: ["takes", "#song-play", "[data-press='/music/next']", "[data-press='/music/previous']"],
  scenes: ["rig", "#scenes [data-press='/scene/next']", "#scenes [data-press='/scene/previous']"],
};

// The functions that reveal a place hidden in a small window.
const turnPiano = () => find("#piano-turn").click();
const openers = {
  presets: () => toggleSheet("presets"),
  instrument: () => toggleSheet("grid-more"),
  bypass: () => toggleSheet("presets"),
  notes: turnPiano,
  octave: turnPiano,
  record: showTakeList,
  search: showTakeList,
  takes: showTakeList,
  songs: () => find("[data-view=songs]").click(),
  scenes: () => find("#rig [data-view=tempo]").click(),
};

// The last place, and the number of its control that has the focus.
let last = { name: "", at: 0, control: undefined };

/** Shows a place's page and focuses its control, or the next one if that has the focus. */
function go(name) {
  const [page, ...steps] = places[name];
  turn(page, () => {
    const isAgain = last.name === name && document.activeElement === last.control;
    const at = isAgain ? (last.at + 1) % steps.length : 0;
    let control = visible(steps[at]);
    if (!control && openers[name]) {
      openers[name]();
      control = visible(steps[at]);
    }
    if (!control) return notify(document.body.classList.contains("locked") ? "Hold the lock to unlock" : "Not available now", "fault");
    control.focus();
    control.scrollIntoView({ block: "nearest" });
    last = { name, at, control };
    if (name !== "presets") return;
    typeIn(find("#preset-list"));
    notify("Type a preset\u2019s name, then Enter");
  });
}

function turn(page, then) {
  if (document.body.dataset.page === page) return then();
  addEventListener("hashchange", () => then(), { once: true });
  location.hash = page;
}

function visible(step) {
  for (const selector of step.split("|")) {
    for (const one of document.querySelectorAll(selector)) {
      if (one.checkVisibility({ visibilityProperty: true }) && !one.disabled && !one.closest("[inert]")) return one;
    }
  }
}

// The dialog.

function fillList(sheet) {
  const words = () => areShortcutsOn() ? "Shortcuts are on" : "Shortcuts are off";
  const onOff = makeButton("switch tile", { role: "switch", id: "keys-on", "aria-checked": String(areShortcutsOn()) }, () => {
    setShortcuts(!areShortcutsOn());
    onOff.setAttribute("aria-checked", String(areShortcutsOn()));
    state.textContent = words();
  }, "Shortcuts");
  const state = make("p", "quiet", {}, words());
  const lists = shortcuts.map(([title, rows]) => [make("h3", "", {}, title),
    make("dl", "facts", {}, ...rows.map(([keys, effect]) => make("div", "", {}, make("dt", "", {}, keys), make("dd", "", {}, effect))))]);
  sheet.append(make("div", "scroll sheet-body", { tabindex: 0, role: "group", "aria-label": "List of shortcuts" },
    make("p", "quiet", {}, "Shortcuts work unless a text field or a select box has the focus. The switch applies to this device only."), onOff, ...lists.flat()));
}
