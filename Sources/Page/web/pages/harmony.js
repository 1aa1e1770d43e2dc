// The harmony voices: their notes, levels and places.

import { subscribeTo } from "../link/subscription.js";
import { list, setUpControls, slide, toggle } from "../parts/controls.js";
import { find, make, onVisible } from "../parts/make.js";
import { noteName, octave } from "../store/units.js";
import { watch } from "../store/values.js";

const count = 4;

/** Sets up the harmony sheet, which listens only while it is visible. */
export function setUpHarmony() {
  const chord = find("#harmony-chord");
  const notes = [];
  const voices = Array.from({ length: count }, (_, index) => {
    const name = `Voice ${index + 1}`;
    const base = `/harmony/${index + 1}`;
    const note = make("span", "quiet harmony-note");
    notes.push(note);
    const details = make("details", "harmony-more", {}, make("summary", "", {}, "More"),
      slide(`${base}/pan`, "Pan", `${name} pan`),
      slide(`${base}/formant`, "Formant", `${name} formant`),
      slide(`${base}/detune`, "Detune", `${name} detune`),
      slide(`${base}/delay`, "Delay", `${name} delay`));
    return make("section", "harmony-voice", { "aria-label": name },
      make("div", "line", {}, toggle(`${base}/on`, name), note, list(`${base}/interval`, "Note", `${name} note`)),
      slide(`${base}/gain`, "Gain", `${name} gain`), details);
  });
  const place = find("#harmony-voices");
  place.replaceChildren(...voices);
  setUpControls(place);

  watch("/harmonies", (...values) => {
    for (const [index, note] of notes.entries()) {
      const key = Math.round(values[index]);
      note.textContent = values[index] < 0 ? "" : noteName(key) + octave(key);
    }
    chord.textContent = values[count];
  });
  onVisible(find("#harmony"), (is) => subscribeTo("/harmonies", is, "harmony"));
}
