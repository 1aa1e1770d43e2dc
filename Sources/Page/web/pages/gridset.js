// The settings of the grid and its metronome, in a sheet.

import { list, sender, setUpControls, slide, toggle, words } from "../parts/controls.js";
import { make } from "../parts/make.js";

const pair = (...parts) => make("div", "pair", {}, ...parts);
const stepper = (address, caption, more = {}) => make("div", "stepper", { "data-address": address, ...more }, caption);

/** Fills the sheet. */
export function setUpGridSettings(sheet) {
  const instrument = list("/grid/instrument", "Instrument", "Instrument", { "data-list": "/instruments", "data-also": "take" });
  instrument.className = "only-narrow loads";
  const own = make("button", "tool", { type: "button", "data-sheet": "grid-scales", "aria-expanded": "false" }, "Own scales");
  const tap = make("button", "tool tap", { type: "button", "data-press": "/metronome/tap" }, "Tap");
  sheet.append(setUpControls(make("div", "sheet-body", {},
    instrument,
    pair(own, sender("/grid/randomize", "Shuffle", 1)),
    words("/grid/size", "Buttons", "Button size", { "data-words": "small medium large" }),
    stepper("/grid/octaves", "Octaves", { "data-zero": "auto" }),
    words("/grid/order", "Order", "Note order", { "data-words": "scale random" }),
    pair(toggle("/grid/names", "Names"), toggle("/grid/sustain", "Sustain")),
    make("div", "line", {}, slide("/metronome/bpm", "Tempo", "Tempo"), tap),
    stepper("/metronome/beats", "Beats per bar"),
    toggle("/phrase/follow", "Phrase in tempo"),
    slide("/metronome/gain", "Click", "Click level"),
    slide("/grid/gain", "Gain", "Grid gain"),
    slide("/grid/reference", "A4", "Reference"),
    sender("/note/allOff", "All notes off"),
    make("p", "quiet", {}, "Touch a cell lower to play louder. Slide across cells: each row continues in the next."))));
}
