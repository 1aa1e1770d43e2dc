// Sessions: recording of all ports, markers, and the last minutes.

import { send } from "../link/socket.js";
import { setUpControls } from "../parts/controls.js";
import { onSubmit } from "../parts/field.js";
import { find, make } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { counted, time } from "../store/units.js";
import { latest, onReply, value, watch } from "../store/values.js";

// The markers without a name that this page has placed in the session.
let unnamed = 0;

// In UTF-8.
const longestMarker = 200;

/** Fills the card of sessions on the rig page. */
export function fillSession(card) {
  card.removeAttribute("aria-busy");
  card.append(...parts());
  setUpControls(card);
  const button = find("#session");
  const form = find("#session-mark");
  const keep = find("#session-keep");
  const isOn = () => value("/session/record") === 1;
  const draw = () => {
    const [, seconds = 0, folder = "", minutes = 0] = latest("/session/state") ?? [];
    find("#session-time").textContent = time(seconds);
    find("#session-folder").textContent = folder ? `${isOn() ? "Recording to" : "Last:"} sessions/${folder}` : "Records all ports, each to its own file";
    // Markers also go to the last minutes.
    find("button", form).disabled = !isOn() && !minutes;
    keep.hidden = !minutes;
    find("span", keep).textContent = `Keep the last ${minutes === 1 ? "minute" : counted(minutes, "minute")}`;
  };
  button.addEventListener("click", () => send("/session/record", isOn() ? 0 : 1));
  watch("/session/record", (on) => {
    button.setAttribute("aria-pressed", String(on === 1));
    find("span", button).textContent = on ? "Stop session" : "Session";
    if (!on) unnamed = 0;
    draw();
  });
  watch("/session/state", draw);
  onSubmit(form, find("#session-name"), (text) => {
    if (new TextEncoder().encode(text).length > longestMarker) {
      notify(`The name of a marker has at most ${longestMarker} bytes`, "fault");
      return false;
    }
    const name = text || `Mark ${++unnamed}`;
    send("/session/mark", name);
    notify(`Marker \u201c${name}\u201d`, "done");
    return true;
  });
  keep.addEventListener("click", () => {
    send("/session/keep");
    notify("Saving the last minutes");
  });
  onReply("/session/record", (name) => name && notify(`Session ${name} saved`, "done"));
  onReply("/session/keep", (name) => notify(`Last minutes saved as session ${name}`, "done"));
}

const parts = () => [
  make("h2", "", {}, "Session"),
  make("div", "line", {},
    make("button", "press capture", { type: "button", id: "session", "data-icon": "record", "aria-pressed": "false" }, "Session"),
    make("span", "big", { id: "session-time" })),
  make("p", "empty", { id: "session-folder" }),
  make("form", "line", { id: "session-mark" },
    make("input", "field", { id: "session-name", "aria-label": "Name of the marker", maxlength: 100, placeholder: "Marker", autocomplete: "off" }),
    make("button", "tool", { disabled: true }, "Mark")),
  make("button", "tool", { type: "button", id: "session-keep", "data-icon": "keep", hidden: true }, make("span")),
  make("div", "choice", { "data-caption": "Format", "data-address": "/session/format", "data-words": "24=24\u00a0bit float=float", "aria-label": "Session format" }),
];
