// The rig: ports, MIDI bindings, captures, sessions, location and server.

import { linkDelay, onLink, send } from "../link/socket.js";
import { list, setUpControls, slide } from "../parts/controls.js";
import { find, icon, make, makeButton, onVisible } from "../parts/make.js";
import { showIn } from "../parts/field.js";
import { notify, warn } from "../parts/notice.js";
import { setRows } from "../parts/rows.js";
import { setUpViews } from "../parts/views.js";
import { nextFrame } from "../store/clock.js";
import { collect, listen, onReply, receive, value, watch } from "../store/values.js";
import { capital, counted, time } from "../store/units.js";
import { setUpSource } from "./source.js";
import { setUpTuner } from "./tuner.js";

/** Sets up the rig page. */
export function setUpRig() {
  setUpMixer();
  setUpViews(find("#rig .views"), (view) => (find("#rig").dataset.part = view));
  setUpGuard();
  setUpPorts();
  setUpBindings();
  setUpCapture();
  setUpSession();
  setUpPlace();
  setUpServer();
  setUpLosses();
  setUpNodes();
  setUpTuner();
  setUpSource();
}

const strips = [["in", "Input"], ["live", "Live"], ["loop", "Loop"], ["grid", "Grid"], ["music", "Songs", "Song"], ["out", "Output"]];

// Inputs and outputs show their level, the others where they go.
function setUpMixer() {
  const rows = strips.map(([bus, caption, name = caption]) => {
    const label = bus === "grid" ? "Gain of the grid" : `${name} gain`;
    const end = bus === "in" || bus === "out" ? make("span", "level", { "data-level": bus }, "\u2212\u221e") : list(`/${bus}/route`, "", `${name} route`);
    const bars = bus === "music" ? [] : [make("div", "meter", { "data-meter": bus, "aria-label": `${name} level` })];
    return make("div", "strip", {}, ...bars, slide(`/${bus}/gain`, caption, label), end);
  });
  find("#rig .limiter").before(...rows.map((row) => setUpControls(row)));
  watch("/live/off", (is) => rows[1].classList.toggle("off", is === 1));
}

// These cards are fetched when the page is first shown.
function setUpGuard() {
  const card = make("section", "card guard", { "data-of": "levels", "aria-label": "Feedback guard", "aria-busy": "true" });
  find("#rig .mixer").after(card);
  fillWhenSeen(card, async () => (await import("./guard.js")).fillGuard);
}

function setUpSession() {
  const card = make("section", "card", { "data-of": "levels", "aria-label": "Session", "aria-busy": "true" });
  find("#server-card").before(card);
  fillWhenSeen(card, async () => (await import("./session.js")).fillSession);
}

function fillWhenSeen(card, fetchFill) {
  onVisible(find("#rig"), async (is) => {
    if (!is) return;
    const fill = await fetchFill();
    if (card.hasAttribute("aria-busy")) fill(card);
  });
}

function setUpPorts() {
  const ports = new Map();
  const list = find("#ports");
  const draw = () => {
    list.replaceChildren(...[...ports].map(([name, { kind, way, peers }]) =>
      make("div", peers.length ? "port" : "port loose", {},
        make("dt", "", {}, icon(kind === "midi" ? "midi" : way === "in" ? "inward" : "outward"), name),
        ...(peers.length ? peers : ["not connected"]).map((peer) => make("dd", "", {}, peer)))));
  };
  listen("/port", (name, kind, way, ...peers) => {
    ports.set(name, { kind, way, peers });
    nextFrame(draw);
  });
  listen("/ports/end", (count) => {
    find("#ports-none").hidden = count > 0;
    if (!count) ports.clear();
    nextFrame(draw);
  });
}

let learning = false;

// Labels of the kinds of mapping; a short press needs none.
const pressWords = { turn: "turns", hold: "holds", short: "", long: "long", double: "twice", light: "light" };

function setUpBindings() {
  const learn = find("#midi-learn");
  const draw = (bindings) => {
    find("#bindings-none").hidden = bindings.length > 0;
    setRows(find("#bindings"), bindings.map(([address, number, , press = "turn", argument = "", trigger = `controller:${number}`]) => {
      const words = [address, argument].filter(Boolean).join(" ");
      const forget = makeButton("tool", { "aria-label": `Forget ${trigger} ${press} for ${words}` }, () => {
        send("/midi/forget", address, press);
        send("/midi/bindings");
      }, icon("close"));
      return make("li", "", {}, make("b", "", {}, triggerName(trigger)), make("small", "", {}, pressWords[press] ?? press), make("span", "", {}, words), forget);
    }), learn);
  };
  collect("/midi/binding", "/midi/bindings/end", draw);
  listen("/midi/learnt", (address, number, kind, press, argument, trigger = `controller:${number}`) => {
    notify(`${triggerName(trigger)} ${press === "light" ? "shows" : press === "turn" ? "turns" : "presses"} ${address}`, "done");
    send("/midi/bindings");
  });
  // Other clients may load a map or remove bindings.
  onReply("/midi/pedal", () => send("/midi/bindings"));

  const setLearning = (on) => {
    learning = on;
    document.body.classList.toggle("learning", on);
    learn.setAttribute("aria-pressed", String(on));
    if (on) notify("Touch a control on any page, then move a controller or press a pedal");
  };
  learn.addEventListener("click", () => setLearning(!learning));
  // While learning, the next touch only selects the control.
  const pickAddress = (event) => {
    if (!learning) return;
    const control = event.target.closest("[data-address], [data-press], [data-loop], .cell, .key");
    if (!control) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type !== "click") return;
    const address = addressOf(control);
    setLearning(false);
    send("/midi/learn", address, ...argumentsToBind());
    notify(`Now move a controller or press a pedal for ${address}`, "info", ["Cancel", () => send("/midi/forget", address)]);
  };
  for (const name of ["pointerdown", "pointerup", "click"]) document.addEventListener(name, pickAddress, { capture: true });
  document.addEventListener("touchend", (event) => {
    const surface = learning && event.target.closest(".cell, .key, .pedal");
    if (surface) surface.click();
  }, { capture: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && learning && setLearning(false));
}

/** The arguments to bind, and the kind of press, if given. */
function argumentsToBind() {
  const argument = find("#midi-argument").value.trim();
  const press = find("#midi-press").value;
  if (!argument) return press ? [press] : [];
  const number = Number(argument);
  return [Number.isFinite(number) ? number : argument, press || "short"];
}

/** A trigger's label: CC 7, note 60, program 3, PAGEDOWN. */
function triggerName(trigger) {
  const [kind, rest] = trigger.split(":");
  const name = rest.split("@")[0];
  if (kind === "key") return name.replace(/^KEY_/, "");
  return `${kind === "controller" ? "CC" : kind} ${name}`;
}

function addressOf({ dataset }) {
  if (dataset.row) return `/grid/${dataset.row}/${dataset.column}`;
  if (dataset.key) return "/piano/" + dataset.key;
  return dataset.address ?? dataset.press;
}

function setUpCapture() {
  const button = find("#capture");
  const clock = find("#capture-time");
  button.addEventListener("click", () => send("/capture/on", value("/capture/on") ? 0 : 1));
  watch("/capture/on", (on) => {
    button.setAttribute("aria-pressed", String(on === 1));
    find("span", button).textContent = on ? "Stop" : "Capture";
  });
  watch("/capture/state", (state, seconds) => (clock.textContent = state === "on" || seconds ? time(seconds) : "0.0 s"));
  // The takes page shows the take.
  onReply("/capture/on", () => document.body.dataset.page === "takes" || notify("Capture saved to the library", "done"));
}

function setUpPlace() {
  const [north, east] = [find("#north"), find("#east")];
  const degrees = (value) => (Number.isFinite(value) ? String(Number(value.toFixed(5))) : "");
  showIn(north, "/location", (n) => degrees(n));
  showIn(east, "/location", (_, e) => degrees(e));
  find("#place").addEventListener("submit", (event) => {
    event.preventDefault();
    const [n, e] = [north.valueAsNumber, east.valueAsNumber];
    if (isNaN(n) || isNaN(e)) return notify("Degrees north and east, such as 52.52 and 13.41", "fault");
    send("/location", n, e);
    document.activeElement.blur();
    notify("New takes will have this location", "done");
  });
}

// The order of /status, which is polled while visible: not all of it is announced.
const statusNames = ["rate", "block", "load", "xruns", "uptime", "clients", "server", "xrun", "messages", "errors", "malformed", "refused", "late", "denied", "dropped", "nan", "captureFaults", "voices", "flooded", "saving", "card", "losses", "clock"];

function setUpServer() {
  listen("/status", (...values) => values.forEach((value, at) => receive("/status/" + statusNames[at], [value])));
  let polling;
  onVisible(find("#server-card"), (is) => {
    clearInterval(polling);
    if (!is) return;
    send("/status");
    polling = setInterval(() => document.hidden || send("/status"), 1000);
  });
  const rate = () => value("/status/rate", 48000);
  const rows = [
    ["Card", "/status/card", (name) => name || "none yet"],
    ["Rate", "/status/rate", (rate) => `${rate} Hz`],
    ["Buffer", "/status/block", (frames) => `${frames} frames, ${((frames / rate()) * 1000).toFixed(1)} ms`],
    ["Uptime", "/status/uptime", uptime],
    ["Clients", "/status/clients"],
    ["Ping", "/pong", () => linkDelay().toFixed(linkDelay() < 10 ? 1 : 0) + " ms"],
    ["Voices", "/status/voices"],
    ["Messages", "/status/messages", (count) => count.toLocaleString()],
    ["Errors", "/status/errors"],
    ["Late", "/status/late"],
    ["Refused", "/status/refused"],
    ["Denied", "/status/denied"],
    ["Clock", "/status/clock", (error) => (error < 0 ? "not synchronized" : `within ${error.toFixed(1)} ms`)],
    ["Saving", "/status/saving", (word) => (word === "off" ? "off: the data directory is read-only" : word)],
  ];
  find("#facts").append(...rows.map(([caption, address, text = String]) => {
    const output = make("dd", "", {}, "\u2013");
    watch(address, (value) => (output.textContent = text(value)));
    return make("div", "", {}, make("dt", "", {}, caption), output);
  }));
  watch("/status/load", (load) => {
    find("#load").textContent = load.toFixed(load < 10 ? 1 : 0) + " %";
    find("#load-bar").style.transform = `scaleX(${Math.min(1, load / 100)})`;
  });
  for (const [id, isBad] of [["xruns", (count) => count > 0], ["server", (state) => state !== "running"]]) {
    watch(`/status/${id}`, (value) => {
      find(`#${id}`).textContent = String(value);
      find(`#${id}`).classList.toggle("some", isBad(value));
    });
  }
}

const mostLosses = 10;

// When sound was lost, and why; and what will cost sound sooner or later.
function setUpLosses() {
  const losses = new Map();
  const warnings = new Map();
  const show = (id, rows) => find(id).replaceChildren(...rows.map((parts) => make("li", "", {}, ...parts)));
  const draw = () => {
    const rows = [...losses].sort(([one], [other]) => (one < other ? 1 : -1)).slice(0, mostLosses);
    find("#losses-none").hidden = rows.length > 0;
    show("#losses", rows.map(([date, [length, detail]]) =>
      [make("b", "", {}, date.slice(11, 19)), make("small", "", {}, `${length.toFixed(1)} ms`), make("span", "", {}, detail)]));
  };
  // Replies and updates alike.
  listen("/lost", (date, length, cause, detail) => {
    losses.set(date, [length, detail]);
    if (losses.size > 10 * mostLosses) losses.delete(losses.keys().next().value);
    nextFrame(draw);
  });
  listen("/warning", (kind, text) => {
    // Each subscription repeats it.
    if (text && warnings.get(kind) !== text) warn(capital(text));
    if (text) warnings.set(kind, text);
    else warnings.delete(kind);
    show("#warnings", [...warnings].map(([kind, text]) => [make("b", "", {}, capital(kind)), make("span", "", {}, text)]));
  });
  queryWhenSeen(() => send("/status/lost", mostLosses));
}

// The nodes of the network, if there are others.
function setUpNodes() {
  const nodes = make("ul", "bindings", { id: "nodes", "aria-label": "Nodes of the network", hidden: true });
  find("#losses").after(nodes);
  const drop = collect("/node", "/rig/end", (rows) => {
    nodes.hidden = rows.length < 2;
    nodes.replaceChildren(...rows.map(([name, host, load, lost, server, scene]) => {
      const sound = { running: `${load.toFixed(0)} %`, gone: "no sound server", silent: "no reply" }[server] ?? server;
      const words = [sound, lost > 0 && `lost sound ${counted(lost, "time")}`, scene];
      return make("li", "", {}, make("b", "", {}, name), make("small", "", {}, host), make("span", "", {}, words.filter(Boolean).join(" \u00b7 ")));
    }));
  });
  queryWhenSeen(() => {
    drop();
    send("/rig");
  });
}

// Calls query() when the card of the server comes into view, and for each new connection while it is.
function queryWhenSeen(query) {
  let isSeen = false;
  onVisible(find("#server-card"), (is) => {
    isSeen = is;
    if (is) query();
  });
  onLink((state) => state === "open" && isSeen && query());
}

function uptime(seconds) {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return `${Math.floor(seconds)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
