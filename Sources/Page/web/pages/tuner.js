// The tuner: note, and needle over 100 cents.

import { want } from "../link/subscription.js";
import { find } from "../parts/make.js";
import { watch } from "../store/values.js";
import { noteName, octave } from "../store/units.js";

const inTune = 3;

/** Sets up the tuner, which listens only while it is visible. */
export function setUpTuner() {
  const tuner = find("#tuner");
  const [note, height, cents, word, needle] = ["#tuner-note", "#tuner-octave", "#tuner-cents", "#tuner-word", "#tuner-needle"].map((id) => find(id));
  watch("/tuner", (key, off) => {
    const heard = key >= 0;
    const tuned = heard && Math.abs(off) <= inTune;
    note.textContent = heard ? noteName(key) : "\u2013";
    height.textContent = heard ? String(octave(key)) : "";
    cents.textContent = heard ? `${off > 0 ? "+" : "\u2212"}${Math.abs(off).toFixed(1)}` : "";
    word.textContent = !heard ? "no steady tone" : tuned ? "in tune" : off > 0 ? "cents sharp" : "cents flat";
    needle.style.transform = `translateX(${heard ? Math.min(50, Math.max(-50, off)) : 0}%)`;
    tuner.dataset.is = !heard ? "silent" : tuned ? "tuned" : "off";
  });
  new IntersectionObserver((entries) => want("/tuner", entries.at(-1).isIntersecting)).observe(tuner);
}
