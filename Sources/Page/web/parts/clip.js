// The button of a take or post: it plays it once, or stops it, whoever started it.

import { send } from "../link/socket.js";
import { value, watch } from "../store/values.js";
import { find } from "./make.js";

const roots = ["/take", "/feed"];
const watchers = new Set();

/** Calls show() when another take or post plays, or none. */
export const watchClip = (show) => watchers.add(show);

// A post's number is a number in the node's reply, and a text in the page.
const plays = (root, id) => id !== undefined && String(value(root + "/playing")) === String(id);

/** Plays the take or post, or stops it if it plays. */
export function playOrStop(root, id) {
  if (!stopClip(root, id)) send(root + "/play", id);
}

/** Stops the take or post; returns false if it doesn't play. */
export function stopClip(root, id) {
  if (!plays(root, id)) return false;
  send(root + "/stop");
  return true;
}

/** Draws the button of a take or post; its text, and its name for screen readers, begin with what it does. */
export function drawClip(button, root, id) {
  const [word, sign] = plays(root, id) ? ["Stop", "stop"] : ["Play", "play"];
  find("use", button).setAttribute("href", "#i-" + sign);
  button.classList.toggle("playing", sign === "stop");
  const name = button.getAttribute("aria-label");
  if (name) button.setAttribute("aria-label", name.replace(/^\S+/, word));
  if (button.lastChild instanceof Text) button.lastChild.data = word;
}

for (const root of roots) watch(root + "/playing", () => watchers.forEach((show) => show()));
