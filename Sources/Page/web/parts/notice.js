// The notice line, with at most one action.

import { capital } from "../store/units.js";
import { listen } from "../store/values.js";
import { announce } from "./announce.js";
import { find } from "./make.js";
import { areShortcutsOn } from "./shortcuts.js";

const line = find("#notice");
const text = find("#notice-text");
const action = find("#notice-action");
let timer;
let act;
// Warnings that wait for the end of a notice with a button.
const waiting = [];
// The element that had the focus before the button.
let before;

action.addEventListener("focus", ({ relatedTarget }) => (before = relatedTarget));
action.addEventListener("click", () => {
  hide();
  act?.();
});

/** Presses the button of the notice; returns false if there is none. */
export function pressNotice() {
  if (action.hidden) return false;
  action.click();
}

/** Shows a notice for some seconds: kind is info, done or fault; doing is [caption, function]. */
export function notify(words, kind = "info", doing) {
  clearTimeout(timer);
  line.dataset.kind = kind;
  text.textContent = words;
  action.hidden = !doing;
  if (doing) [action.textContent, act] = doing;
  line.classList.remove("long");
  line.classList.toggle("long", line.offsetHeight > line.parentElement.offsetHeight + 8);
  line.classList.add("shown");
  const shortest = doing ? 9000 : kind === "fault" ? 6000 : 3500;
  timer = setTimeout(hideUnused, Math.max(shortest, words.length * 60));
  const more = doing && areShortcutsOn() ? `. ${doing[0]}: Shift U` : "";
  announce("notice", words + more, kind === "fault" ? "assertive" : "polite");
}

/** Shows a warning that nothing on the page has caused, after a notice with a button, such as Undo. */
export function warn(words) {
  if (action.hidden) return notify(words, "fault");
  waiting.push(words);
  announce("warning", words, "assertive");
}

// A button that has the focus stays.
function hideUnused() {
  if (document.activeElement === action) timer = setTimeout(hideUnused, 1000);
  else hide();
}

function hide() {
  clearTimeout(timer);
  const hadFocus = document.activeElement === action;
  line.classList.remove("shown");
  action.hidden = true;
  if (hadFocus) before?.focus({ preventScroll: true });
  // After the notice of an action that the button begins.
  if (waiting.length) setTimeout(showWaiting);
}

function showWaiting() {
  if (waiting.length && action.hidden) notify(waiting.splice(0).join(". "), "fault");
}

// The page's own queries need no notice: songs, posts and takes show their errors themselves.
const silent = new Set(["/music", "/music/previous", "/music/next", "/subscribe", "/loops", "/feed", "/takes", "/takes/find", "/take/show"]);
listen("/error", (address, code, text) => {
  if (silent.has(address)) return;
  // The address of a message means nothing to whoever pressed a button.
  const words = (text ?? "").replace(/^\/[\w/]+: /, "").replace("/lock 0 unlocks", "to unlock, hold Locked under All loops on the Loop page");
  notify(words ? capital(words) : `${address}: ${code}`, "fault");
});
