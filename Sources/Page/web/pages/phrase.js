// Below the cells: the phrase with the names of its notes, the click, and the button of the settings.

import { send } from "../link/socket.js";
import { setUpControls } from "../parts/controls.js";
import { flag } from "../parts/flag.js";
import { find, icon, make } from "../parts/make.js";
import { listen, value, watch } from "../store/values.js";
import { printed } from "../store/units.js";

const longest = 10;

/** Fills the foot of the grid. */
export function setUpPhrase(foot) {
  const [record, play] = [button("record", "Rec"), button("play", "Play")];
  const names = make("p", "phrase-notes", { id: "phrase-notes", role: "group", "aria-label": "Notes of the phrase" });
  const click = make("button", "press", { type: "button", id: "grid-click", "data-icon": "metronome", "data-address": "/metronome/on", "data-lockable": true }, "Click");
  const more = make("button", "tool square", { type: "button", "data-sheet": "grid-more", "aria-expanded": "false", "aria-label": "Grid settings", "data-lockable": true }, icon("more"));
  foot.append(record, play, names, click, more);
  setUpControls(foot);
  flag(click);

  record.addEventListener("click", () => send(value("/phrase/state") === "recording" ? "/phrase/stop" : "/phrase/record"));
  play.addEventListener("click", () => send(value("/phrase/state") === "playing" ? "/phrase/stop" : "/phrase/play"));
  const draw = (one, isOn, word, label, run) => {
    one.setAttribute("aria-label", isOn ? `Stop ${label[1]}` : `${word} ${label[0]}`);
    one.classList.toggle("on", isOn);
    one.style.setProperty("--run", isOn ? Math.min(1, run) : 0);
    find("use", one).setAttribute("href", "#i-" + (isOn ? "stop" : one.dataset.icon));
    find("span", one).textContent = isOn ? "Stop" : word === "Record" ? "Rec" : word;
  };
  let counted = 0;
  watch("/phrase/state", (state, position, length, notes) => {
    draw(record, state === "recording", "Record", ["the phrase", "recording"], position / longest);
    draw(play, state === "playing", "Play", ["the phrase", "the phrase"], length && position / length);
    play.disabled = !notes && state !== "playing";
    // The names are sent by themselves only at the end of a recording.
    if (state === "recording" && notes !== counted) send("/phrase/notes");
    counted = notes;
  });
  setUpNames(names);
}

const button = (what, caption) => make("button", "press", { type: "button", id: `phrase-${what}`, "data-icon": what }, caption);

function setUpNames(element) {
  // The number of notes that were played since the start of the phrase.
  let at = 0;
  let drawn;
  const mark = (place) => {
    for (const [number, note] of [...element.children].entries()) note.classList.toggle("is", number === place);
    const note = element.children[place];
    if (note) element.scrollTop = note.offsetTop - (element.clientHeight - note.offsetHeight) / 2;
  };
  watch("/phrase/notes", (...names) => {
    if (names.join() === drawn) return;
    drawn = names.join();
    element.replaceChildren(...names.map((name) => make("b", "", {}, printed(name))));
    if (!names.length) element.textContent = "no phrase";
    else mark(value("/phrase/state") === "recording" ? names.length - 1 : at - 1);
  });
  listen("/phrase/note", () => mark(at++));
  listen("/phrase/state", (state) => {
    if (state === "playing") return;
    at = 0;
    if (state === "stopped") mark(-1);
  });
}
