// The present scene of the set list, its notes, the next one, and the one that waits.

import { find } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { onError, watch } from "../store/values.js";

/** Sets up the card of the scenes, which is hidden while there are none. */
export function setUpScenes() {
  watch("/scenes", (...names) => (find("#scenes").hidden = names.length === 0));
  watch("/setlist/scene", (number, count, title, notes, next) => {
    find("#scene-title").textContent = title || "No scene";
    find("#scene-place").textContent = number > 0 ? `${number} of ${count}` : "";
    find("#scene-notes").textContent = notes;
    find("#scene-notes").hidden = !notes;
    find("#scene-next").textContent = next ? `Next: ${next}` : "";
  });
  watch("/scene/queued", (name, moment) => {
    find("#scene-waits").textContent = name ? `${name} at the next ${moment}` : "";
    find("#scene-waits").hidden = !name;
  });
  for (const [step, end] of [["previous", "first"], ["next", "last"]]) {
    onError(`/scene/${step}`, (code, text) => notify(code === "state" ? `This is the ${end} scene` : text, "fault"));
  }
}
