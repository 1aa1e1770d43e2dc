// The feedback guard: switch, notches, and hold time.

import { sender, setUpControls, toggle, words } from "../parts/controls.js";
import { find, make } from "../parts/make.js";
import { figure } from "../store/units.js";
import { watch } from "../store/values.js";

const most = 8;
const holds = "10=10\u00a0s 60=1\u00a0min 600=10\u00a0min 0=\u221e";

/** Fills the guard's card. */
export function fillGuard(card) {
  const count = make("span", "big");
  const list = make("p", "quiet guard-notches");
  const hold = words("/guard/hold", "Hold", "Notch hold time", { "data-words": holds });
  const clear = sender("/guard/clear", "Clear notches", undefined, { disabled: true });
  card.append(make("h2", "", {}, "Feedback guard"), make("div", "line", {}, toggle("/guard/on", "Guard"), count), list, hold, clear);
  setUpControls(card);
  const name = find("small", hold.parentElement);
  card.removeAttribute("aria-busy");

  let notches = [];
  let isOn = 0;
  const show = () => {
    count.textContent = `${notches.length} of ${most}`;
    clear.disabled = !notches.length;
    list.textContent = notches.length ? "Notches: " + notches.join(", ") : isOn ? "No notches" : "Feedback is not suppressed";
  };
  show();
  // Frequency and depth, alternating.
  watch("/guard/notches", (...pairs) => {
    notches = pairs.filter((_, at) => at % 2 === 0).map((hertz) => figure(hertz, { unit: "Hz" }).replace(" ", "\u00a0"));
    show();
  });
  watch("/guard/on", (value) => {
    isOn = value;
    show();
  });
  // Any other time is shown in the label.
  watch("/guard/hold", (seconds) => {
    const isOne = holds.split(" ").some((hold) => hold.startsWith(seconds + "="));
    name.textContent = isOne ? "Hold" : "Hold " + figure(seconds, { unit: "s" });
  });
}
