// The beats of a bar as lights.

import { listen, watch } from "../store/values.js";
import { make } from "./make.js";

const quick = 180;

/** Makes a row of beat lights; the downbeat has a shape of its own. */
export function beat(element) {
  let bpm = 120;
  const lights = (count) => {
    if (element.childElementCount === count) return;
    element.replaceChildren(...Array.from({ length: count }, () => make("i")));
  };
  watch("/metronome/bpm", (value) => (bpm = value));
  watch("/metronome/beats", lights);
  listen("/metronome/beat", (number, count) => {
    if (document.hidden) return;
    lights(count);
    // At most three flashes per second, for photosensitive users.
    if (bpm > quick && number % 2 === 0) return;
    for (const [at, light] of [...element.children].entries()) light.classList.toggle("is", at === number - 1);
  });
}
