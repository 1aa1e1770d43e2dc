// The mark of what is being recorded, seen from every page: on the tab of the page that has its button.

import { slot, watchSlotCount, watchSlots } from "../store/loops.js";
import { watch } from "../store/values.js";
import { find } from "./make.js";

/** Marks the tabs of the loops and of the phrase while they are recorded. */
export function markRecordings() {
  let count = 0;
  watchSlotCount((now) => (count = now));
  watchSlots(() => mark("loop", Array.from({ length: count }, (_, at) => slot(at + 1)).some(({ state }) => state === "recording")));
  watch("/phrase/state", (state) => mark("grid", state === "recording"));
}

function mark(page, isOn) {
  const tab = find(`.tabs [href="#${page}"]`);
  if (tab.classList.toggle("recording", isOn)) tab.setAttribute("aria-label", `${tab.textContent}, recording`);
  else tab.removeAttribute("aria-label");
}
