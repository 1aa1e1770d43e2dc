// One screen for a recording and its voices: the microphone or the piano is recorded, then played in a voice.
// While it is shown, the live input is held off, so that only the recording is heard in the voice.

import { onLink, send, sendTogether } from "../link/socket.js";
import { find, make, makeButton } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { tap } from "../parts/tap.js";
import { keep, kept } from "../store/kept.js";
import { beatsToGo, isUnderWay, slot, watchSlots } from "../store/loops.js";
import { latest, listen, value, watch } from "../store/values.js";
import { capital, counted, time } from "../store/units.js";
import { setUpPiano } from "./grid.js";

const voices = ["chipmunk", "vader", "snail", "rabbit", "echo", "reverb"];
// The source of recordings before this page changed it: stored, so that a reloaded page gives it back, too.
const sourceKey = "syrinx.source";
const page = find("#play");
const [word, clock, list, own] = ["#play-word", "#play-time", "#voices", "#play-own"].map((id) => find(id));
const button = Object.fromEntries(["record", "stop", "pause"].map((act) => [act, find(`[data-act=${act}]`, page)]));

const hiddenMilliseconds = 1000;

let isShown = false;
let isHeld = false;
// Whether a voice was chosen here since the page was opened.
let hasChosen = false;
// From a press of Record until the node says that it records or waits.
let isStarting = false;
let lastState;

/** Sets up the play page. */
export function setUpPlay() {
  setUpParts();
  setUpPiano(find("#play-piano"));
  // Browsers send no click for a second finger while another one holds a key.
  tap(button.record, record);
  tap(button.stop, stop);
  tap(button.pause, () => send("/player/pause"));
  list.append(...voices.map((name) => makeVoice(name, captionOf(name))));
  watch("/presets/own", (...names) => {
    // One of the name of a shipped voice takes its place on the large button.
    own.replaceChildren(...names.filter((name) => !voices.includes(name)).map((name) => makeVoice(name, name, "chip", `${name}, own preset`)));
    draw();
  });
  for (const address of ["/player/state", "/preset", "/lock", ...Object.keys(hindrances)]) watch(address, draw);
  watchSlots((number) => number === 1 && draw());
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
  // A page that is loaded again is hidden first: the node keeps its hold until it is back.
  let hiding;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(holdLive, hiddenMilliseconds);
    else holdLive();
  });
  draw();
}

/** Notes whether this page is the selected one. */
export function showPlay(is) {
  if (isShown && !is) tellVoice();
  hasChosen = false;
  isShown = is;
  holdLive();
  if (is && !find(".drawing", list)) addDrawings();
}

// The voice stays for the live input, which this page has held off.
function tellVoice() {
  const preset = value("/preset");
  if (!hasChosen || !preset || preset === "dry" || value("/live/route") !== "chain") return;
  notify(`Live voice: ${captionOf(preset)}`, "info", ["No voice", () => send("/preset", "dry")]);
}

async function addDrawings() {
  const { drawing } = await import("../parts/drawings.js");
  for (const voice of list.children) if (!find(".drawing", voice)) voice.prepend(drawing(voice.dataset.voice));
}

// A browser in the background, or a locked phone, shows nothing.
function holdLive() {
  const wanted = isShown && !document.hidden;
  if (isHeld !== wanted && send("/live/off", wanted ? 1 : 0)) isHeld = wanted;
}

// Voice and piano are parts of the page; the songs are a part of the library.
function setUpParts() {
  const turn = (part) => {
    page.dataset.part = part;
    for (const one of parts) mark(one, one.dataset.turn === part);
    draw();
  };
  const parts = ["voice", "piano"].map((part) => makeButton("", { "data-turn": part }, () => turn(part), capital(part)));
  parts.push(makeButton("", { "data-turn": "songs" }, () => {
    location.hash = "takes";
    find("[data-view=songs]").click();
  }, "Songs"));
  find("#play-from").append(...parts);
  turn("voice");
}

function makeVoice(name, caption, classes = "voice", label) {
  const one = make("button", classes, { type: "button", "data-voice": name, "aria-pressed": "false", "aria-label": label, disabled: true }, make("span", "", {}, caption));
  tap(one, () => {
    hasChosen = sendTogether([["/preset", name], ["/player/replay"]]);
  });
  return one;
}

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

// What waits for its beat is canceled, too.
const stop = () => send(latest("/player/state")?.[0] === "start" ? "/loop/cancel" : "/player/stop");

function giveSourceBack() {
  const former = kept(sourceKey);
  if (former && send("/player/source", former)) keep(sourceKey, "");
}

function draw() {
  const [state = "start", , position = 0, length = 0] = latest("/player/state") ?? [];
  const queued = slot(1).waits;
  const waits = queued === "recording";
  const records = isUnderWay(state);
  const plays = state === "playing" || state === "paused";
  const hasClip = length > 0 && !records && !waits;
  const preset = plays ? value("/preset") : undefined;
  if (records || waits) isStarting = false;

  const focused = document.activeElement;
  const isLocked = value("/lock") === 1 && length > 0 && !records;
  button.record.disabled = state === "recording" || waits || isLocked;
  button.stop.disabled = !records && !plays && !queued;
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

  show(word, queued ? waitingWord(state, queued) : wordFor(state, hasClip, preset, isLocked));
  show(clock, records || plays ? time(position) : hasClip ? time(length) : "");
}

const mark = (one, is) => one.setAttribute("aria-pressed", String(is));

// Quantized, counted in, or waiting for sound.
function waitingWord(state, queued) {
  const beats = beatsToGo(slot(1));
  if (!beats) return queued === "recording" ? "Waiting for sound" : "Waiting";
  return state === "start" || state === "paused" ? `${capital(queued)} in ${counted(beats, "beat")}` : `${capital(state)}, ${counted(beats, "beat")} left`;
}

// Why loop 1 is not heard, or not in its voice.
const hindrances = {
  "/mute": (muted) => muted === 1 && "muted",
  "/loop/1/mute": (muted) => muted === 1 && "loop 1 is muted",
  "/loop/1/route": (route) => route === "off" ? "loop 1 is routed off" : route === "direct" && "loop 1 bypasses the voice",
  "/loop/1/gain": (gain) => gain <= silent && "loop 1 is turned down",
  "/out/gain": (gain) => gain <= silent && "the output is turned down",
  "/chain/bypass": (bypassed) => bypassed === 1 && "voices are bypassed",
  "/loop/1/state": (state) => state === "muted" && "another loop is solo",
};
const silent = -60;

function hindrance() {
  for (const [address, tell] of Object.entries(hindrances)) {
    const text = latest(address) && tell(value(address));
    if (text) return ` (${text})`;
  }
  return "";
}

const layers = ["overdubbing", "replacing", "substituting", "multiplying", "inserting"];

function wordFor(state, hasClip, preset, isLocked) {
  const activity = slot(1).state;
  if (layers.includes(activity)) return capital(activity) + hindrance();
  switch (state) {
    case "recording": return "Recording";
    case "suspended": case "paused": return "Paused";
    case "playing": return (preset ? "Playing: " + captionOf(preset) : "Playing") + hindrance();
    default: return hasClip ? "Choose a voice" + (isLocked ? " (locked)" : "") : page.dataset.part === "piano" ? "Record, then play the keys" : "Press Record and speak";
  }
}

// Short, so that what follows is seen, and a notice covers nothing.
const longestCaption = 16;
const captionOf = (name) => voices.includes(name) ? capital(name) : name.length > longestCaption ? name.slice(0, longestCaption - 1) + "\u2026" : name;

const show = (element, text) => element.textContent === text || (element.textContent = text);
