// One screen for a recording and its voices: the microphone or the piano is recorded, then played in a voice.
// While it is shown, the live input is held off, so that only the recording is heard in the voice.

import { onLink, send, sendTogether } from "../link/socket.js";
import { find, make, makeButton } from "../parts/make.js";
import { keep, kept } from "../store/kept.js";
import { latest, listen, value, watch } from "../store/values.js";
import { time } from "../store/units.js";
import { setUpPiano } from "./grid.js";

const voices = ["chipmunk", "vader", "snail", "rabbit", "echo", "reverb"];
// The source of recordings before this page changed it: stored, so that a reloaded page gives it back, too.
const sourceKey = "syrinx.source";
const page = find("#play");
const [word, clock, list, own] = ["#play-word", "#play-time", "#voices", "#play-own"].map((id) => find(id));
const button = Object.fromEntries(["record", "stop", "pause"].map((act) => [act, find(`[data-act=${act}]`, page)]));

let isShown = false;
let isHeld = false;
// From a press of Record until the node says that it records or waits.
let isStarting = false;
let lastState;

/** Sets up the play page. */
export function setUpPlay() {
  setUpParts();
  setUpPiano(find("#play-piano"));
  button.record.addEventListener("click", record);
  button.stop.addEventListener("click", () => send("/player/stop"));
  button.pause.addEventListener("click", () => send("/player/pause"));
  list.append(...voices.map((name) => makeVoice(name, captionOf(name))));
  watch("/presets/own", (...names) => {
    own.replaceChildren(...names.map((name) => makeVoice(name, name, "chip", `${name}, own preset`)));
    draw();
  });
  for (const address of ["/player/state", "/loop/1/state", "/preset"]) watch(address, draw);
  listen("/error", (address) => {
    if (address !== "/player/record") return;
    isStarting = false;
    giveSourceBack();
  });
  onLink((state) => {
    isHeld = isStarting = false;
    lastState = undefined;
    if (state === "open") holdLive();
  });
  draw();
}

/** Notes whether the page is shown. */
export function showPlay(is) {
  isShown = is;
  holdLive();
  if (is && !find(".drawing", list)) addDrawings();
}

async function addDrawings() {
  const { drawing } = await import("../parts/drawings.js");
  for (const voice of list.children) if (!find(".drawing", voice)) voice.prepend(drawing(voice.dataset.voice));
}

function holdLive() {
  if (isHeld !== isShown && send("/live/off", isShown ? 1 : 0)) isHeld = isShown;
}

// Voice and piano are parts of the page; the songs are a part of the library.
function setUpParts() {
  const turn = (part) => {
    page.dataset.part = part;
    for (const one of parts) mark(one, one.dataset.turn === part);
    draw();
  };
  const parts = ["voice", "piano"].map((part) => makeButton("", { "data-turn": part }, () => turn(part), part[0].toUpperCase() + part.slice(1)));
  parts.push(makeButton("", { "data-turn": "songs" }, () => {
    location.hash = "takes";
    find("[data-view=songs]").click();
  }, "Songs"));
  find("#play-from").append(...parts);
  turn("voice");
}

function makeVoice(name, caption, classes = "voice", label) {
  const play = () => sendTogether([["/preset", name], ["/loop/1/once"]]);
  return makeButton(classes, { "data-voice": name, "aria-pressed": "false", "aria-label": label, disabled: true }, play, make("span", "", {}, caption));
}

const isUnderWay = (state) => state === "recording" || state === "suspended";

function record() {
  const [state, mode] = latest("/player/state") ?? [];
  if (state === "suspended") return send("/player/record");
  const messages = [];
  if (state === "playing" || state === "paused") messages.push(["/player/stop"]);
  // A loaded take can't be recorded over: it is closed.
  if (mode === "play") messages.push(["/player/done"]);
  const wanted = page.dataset.part === "piano" ? "grid" : "live";
  const former = value("/player/source", wanted);
  if (former !== wanted) {
    keep(sourceKey, former);
    messages.push(["/player/source", wanted]);
  }
  isStarting = sendTogether([...messages, ["/player/record"]]);
}

function giveSourceBack() {
  const former = kept(sourceKey);
  if (former && send("/player/source", former)) keep(sourceKey, "");
}

function draw() {
  const [state = "start", , position = 0, length = 0] = latest("/player/state") ?? [];
  const waits = latest("/loop/1/state")?.[4] === "recording";
  const records = isUnderWay(state);
  const plays = state === "playing" || state === "paused";
  const hasClip = length > 0 && !records && !waits;
  const preset = plays ? value("/preset") : undefined;
  if (records || waits) isStarting = false;

  const focused = document.activeElement;
  button.record.disabled = state === "recording" || waits;
  button.stop.disabled = !records && !plays && !waits;
  button.pause.disabled = !records && !plays;
  mark(button.record, records);
  mark(button.pause, state === "suspended" || state === "paused");
  for (const one of [...list.children, ...own.children]) {
    one.disabled = !hasClip;
    mark(one, one.dataset.voice === preset);
  }
  // A disabled button would lose the focus. Stop leads to the voices.
  if (page.contains(focused) && focused.disabled) (records ? button.stop : hasClip ? list.firstElementChild : button.record).focus();
  if (isUnderWay(lastState) && hasClip && isShown) list.scrollIntoView({ block: "nearest" });
  lastState = state;
  if (latest("/player/state") && !records && !waits && !isStarting) giveSourceBack();

  show(word, waits ? "Waiting" : wordFor(state, hasClip, preset));
  show(clock, records || plays ? time(position) : hasClip ? time(length) : "");
}

const mark = (one, is) => one.setAttribute("aria-pressed", String(is));

function wordFor(state, hasClip, preset) {
  switch (state) {
    case "recording": return "Recording";
    case "suspended": case "paused": return "Paused";
    case "playing": return preset ? "Playing: " + captionOf(preset) : "Playing";
    default: return hasClip ? "Choose a voice" : page.dataset.part === "piano" ? "Record, then play the keys" : "Press Record and speak";
  }
}

const captionOf = (name) => voices.includes(name) ? name[0].toUpperCase() + name.slice(1) : name;

// Screen readers would repeat unchanged text.
const show = (element, text) => element.textContent === text || (element.textContent = text);
