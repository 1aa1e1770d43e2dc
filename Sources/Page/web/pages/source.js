// The source of the beats, on the rig page.

import { find } from "../parts/make.js";
import { value, watch } from "../store/values.js";

/** Sets up the source's state and controls. */
export function setUpSource() {
  const [state, offset, play, stop] = ["#source-state", "#source-offset", "#source-play", "#source-stop"].map((name) => find(name));
  const draw = () => {
    const source = value("/tempo/source", "own");
    const isLocked = value("/tempo/locked") === 1;
    const bpm = value("/tempo/bpm");
    state.hidden = stop.hidden = source === "own";
    offset.hidden = source !== "midi" && source !== "link";
    play.hidden = source !== "link" || value("/tempo/peers", -1) < 0;
    state.textContent = words(source, isLocked) + (bpm ? ` \u00b7 ${bpm.toFixed(2)} bpm` : "");
  };
  for (const address of ["/tempo/source", "/tempo/locked", "/tempo/bpm", "/tempo/peers", "/tempo/playing"]) watch(address, draw);
}

function words(source, isLocked) {
  const peers = value("/tempo/peers", -1);
  if (source === "link") return peers < 0 ? "No session: start the node with --link" : peers ? `In a session of ${peers + 1}` : "Alone in the session";
  if (source === "jack") return value("/tempo/playing") ? "JACK rolls" : "JACK's transport is stopped";
  return isLocked ? "MIDI clock is locked" : "No MIDI clock yet, or not two beats of it";
}
