// The tuner: note, and needle over 100 cents.

import { subscribeTo } from "../link/subscription.js";
import { find, onVisible } from "../parts/make.js";
import { watch } from "../store/values.js";
import { noteName, octave } from "../store/units.js";

const inTune = 3;

/** Sets up the tuner, which listens only while it is visible. */
export function setUpTuner() {
  const tuner = find("#tuner");
  const [note, height, cents, word, needle] = ["#tuner-note", "#tuner-octave", "#tuner-cents", "#tuner-word", "#tuner-needle"].map((id) => find(id));
  watch("/tuner", (key, off) => {
    const isPitched = key >= 0;
    const tuned = isPitched && Math.abs(off) <= inTune;
    note.textContent = isPitched ? noteName(key) : "\u2013";
    height.textContent = isPitched ? String(octave(key)) : "";
    cents.textContent = isPitched ? `${off > 0 ? "+" : "\u2212"}${Math.abs(off).toFixed(1)}` : "";
    word.textContent = !isPitched ? "no steady tone" : tuned ? "in tune" : off > 0 ? "cents sharp" : "cents flat";
    needle.style.transform = `translateX(${isPitched ? Math.min(50, Math.max(-50, off)) : 0}%)`;
    tuner.dataset.is = !isPitched ? "silent" : tuned ? "tuned" : "off";
  });
  onVisible(tuner, (is) => subscribeTo("/tuner", is));
}
