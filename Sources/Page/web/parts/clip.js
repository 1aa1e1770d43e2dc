// The take or post that this page plays, once: its button plays and stops it.

import { send } from "../link/socket.js";
import { longestLoop } from "../store/loops.js";
import { knownPosts } from "../store/posts.js";
import { take } from "../store/takes.js";
import { latest, listen } from "../store/values.js";
import { find } from "./make.js";

const lengths = {
  "/take/play": (id) => take(id)?.seconds,
  "/feed/play": (id) => knownPosts().find((post) => String(post.id) === id)?.seconds,
};
const watchers = new Set();
// {command, id, title, begun}; undefined if none plays.
let clip;

/** Calls show() when another clip plays, or none. */
export const watchClip = (show) => watchers.add(show);

const plays = (command, id) => clip?.command === command && clip.id === String(id);

/** Plays a clip, or stops it if it plays. */
export function playOrStop(command, id) {
  if (stopClip(command, id)) return;
  // Of the other kind, it would play on.
  if (clip && isSong(clip) !== isSong({ command, id: String(id) })) stop();
  send(command, id);
}

/** Stops a clip; returns false if it doesn't play. */
export function stopClip(command, id) {
  if (!plays(command, id)) return false;
  stop();
  return true;
}

/** Draws the button of a clip; its text, and its name for screen readers, begin with what it does. */
export function drawClip(button, command, id) {
  const [word, sign] = plays(command, id) ? ["Stop", "stop"] : ["Play", "play"];
  find("use", button).setAttribute("href", "#i-" + sign);
  button.classList.toggle("playing", sign === "stop");
  const name = button.getAttribute("aria-label");
  if (name) button.setAttribute("aria-label", name.replace(/^\S+/, word));
  if (button.lastChild instanceof Text) button.lastChild.data = word;
}

// A clip that the loop has no room for plays as a song.
function isSong({ command, id, title }) {
  const seconds = lengths[command](id);
  return seconds > 0 ? seconds > longestLoop() : title !== undefined && songIs(title);
}

function songIs(title) {
  const [state, , present] = latest("/music/state") ?? [];
  return state !== "stopped" && present === title;
}

// At once: it may end before the node reports that it has begun.
function stop() {
  send(isSong(clip) ? "/music/stop" : "/player/stop");
  set(undefined);
}

function set(next) {
  clip = next;
  for (const show of watchers) show();
}

// What follows the reply is of this clip, though not yet its first sound.
listen("/reply", (command, id, title) => lengths[command] && set({ command, id: String(id), title, begun: false }));
for (const address of ["/music/state", "/player/state"]) {
  listen(address, (state) => {
    if (!clip || isSong(clip) !== (address === "/music/state")) return;
    const runs = isSong(clip) ? songIs(clip.title) : state === "playing" || state === "paused";
    if (runs) clip.begun = true;
    else if (clip.begun) set(undefined);
  });
}
