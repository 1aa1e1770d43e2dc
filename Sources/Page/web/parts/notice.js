// The one line in which the page says something, with at most one thing to do about it.

import { hear } from "../store/values.js";
import { find } from "./make.js";

const line = find("#notice");
const text = find("#notice-text");
const action = find("#notice-action");
let timer;
let act;

action.addEventListener("click", () => {
  hide();
  act?.();
});

/** Says something for some seconds: kind is said, done or fault; doing is [caption, function]. */
export function say(words, kind = "said", doing) {
  clearTimeout(timer);
  line.dataset.kind = kind;
  text.textContent = words;
  action.hidden = !doing;
  if (doing) [action.textContent, act] = doing;
  line.classList.add("shown");
  timer = setTimeout(hide, doing ? 9000 : kind === "fault" ? 6000 : 3500);
}

function hide() {
  line.classList.remove("shown");
  action.hidden = true;
}

// What the page asks for by itself is no news: the list of songs says so in its place.
const silent = new Set(["/music", "/subscribe", "/loops"]);
hear("/error", (address, code, words) => silent.has(address) || say(words ? words[0].toUpperCase() + words.slice(1) : `${address}: ${code}`, "fault"));
