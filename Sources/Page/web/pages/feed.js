// The feed: the form for a post, with the player that records its sound, and all posts.

import { send } from "../link/socket.js";
import { choice } from "../parts/choice.js";
import { field, showIn } from "../parts/field.js";
import { find, icon, make } from "../parts/make.js";
import { say } from "../parts/notice.js";
import { askForPosts as ask, knownPosts, postsState, resetPosts, watchPosts } from "../store/posts.js";
import { hear, told, watch } from "../store/values.js";
import { time, when } from "../store/units.js";

const list = find("#feed-posts");
const message = find("#feed-message");
const clip = find("#feed-clip");
const button = find("#feed-send");

/** Sets up the feed page. */
export function setUpFeed() {
  setUpWriting();
  setUpSettings();
  watchPosts(draw);
  find("#feed-more").addEventListener("click", () => ask(true));
  list.addEventListener("click", (event) => {
    const number = Number(event.target.closest("[data-post]")?.dataset.post);
    const act = event.target.closest("[data-act]")?.dataset.act;
    if (act) send(`/feed/${act}`, number);
  });
  hear("/reply", (address, first, second) => {
    if (address === "/feed/keep") say(`Saved as a take: ${second}`, "done");
    if (address === "/feed/delete") say("Post deleted", "done");
  });
}

/** Queries the newest posts again. */
export function askForPosts() {
  resetPosts();
  ask();
}

// Writing.

const wantsClip = () => clip.getAttribute("aria-checked") === "true";

function setUpWriting() {
  const enable = () => {
    const [state, mode, , length = 0] = told("/player/state") ?? [];
    const hasClip = length > 0 && state !== "recording";
    clip.setAttribute("aria-disabled", String(!hasClip));
    const can = hasClip && wantsClip() ? true : Boolean(message.value.trim()) && !wantsClip();
    button.disabled = !can;
    // A post that plays can't be overdubbed: the button is hidden.
    find('.feed-player [data-loop="record"]').hidden = mode === "play";
  };
  const check = (on) => {
    clip.setAttribute("aria-checked", String(on));
    enable();
  };
  message.addEventListener("input", enable);
  clip.addEventListener("click", () => clip.getAttribute("aria-disabled") === "true" || check(!wantsClip()));
  let state;
  hear("/player/state", (now) => {
    // The user will want to hear the recording.
    if (state === "recording" && now !== "recording" && !find("#feed").hidden) check(true);
    state = now;
    enable();
  });
  watch("/player/controls", enable);
  button.addEventListener("click", () => {
    send(wantsClip() ? "/feed/post/clip" : "/feed/post", message.value.trim());
    button.disabled = true;
  });
  hear("/reply", (address) => {
    if (address !== "/feed/post" && address !== "/feed/post/clip") return;
    message.value = "";
    check(false);
    say("Posted", "done");
  });
  hear("/error", (address) => address.startsWith("/feed/post") && enable());
  watch("/feed/waiting", (count) => {
    find("#feed-waiting").textContent = count ? `${count} ${count === 1 ? "post waits" : "posts wait"} for the board` : "";
  });
  enable();
}

function setUpSettings() {
  const settings = make("details", "feed-settings", {}, make("summary", "tool", {}, "Board and name"));
  const fields = [["name", "Name", "the node's", { maxlength: 64 }], ["board", "Board", "this node's own", { type: "url" }]];
  for (const [name, caption, placeholder, more] of fields) {
    const input = make("input", "field", { id: `feed-${name}`, autocomplete: "off", placeholder, ...more });
    field(input, (text) => send(`/feed/${name}`, text));
    showIn(input, `/feed/${name}`);
    settings.append(make("label", "entry", {}, make("small", "", {}, caption), input));
  }
  const format = make("div", "choice", { "data-address": "/feed/format", "aria-label": "Format of posted sounds" });
  settings.append(make("div", "labelled", {}, make("small", "", {}, "Sound"), format));
  find(".compose").append(settings);
  choice(format);
  let board;
  watch("/feed/board", (url) => {
    if (board !== undefined && board !== url) askForPosts();
    board = url;
  });
}

// Reading.

function draw() {
  const posts = knownPosts();
  const { complete, fault } = postsState();
  list.replaceChildren(...posts.map(row));
  find("#feed-more").hidden = complete || !posts.length;
  const empty = find("#feed-empty");
  empty.hidden = posts.length > 0;
  empty.textContent = fault || "No posts yet.";
}

function row({ number, name, date, message, seconds, fresh, mine }) {
  const head = make("small", "", {}, make("b", "", {}, name || "Somebody"), ` \u00b7 ${when(date)}${seconds > 0 ? " \u00b7 " + time(seconds) : ""}`);
  const text = make("p", "", {}, message);
  const acts = make("span", "post-acts");
  const of = `the sound of ${name || "somebody"}, ${when(date)}`;
  if (seconds >= 0) {
    acts.append(make("button", "tool square", { type: "button", "data-act": "play", "aria-label": `Play ${of}` }, icon("play")));
    acts.append(make("button", "tool square", { type: "button", "data-act": "keep", "aria-label": `Keep ${of}` }, icon("keep")));
  }
  if (mine) acts.append(make("button", "tool square", { type: "button", "data-act": "delete", "aria-label": `Delete your post, ${when(date)}` }, icon("clear")));
  return make("li", fresh ? "post fresh" : "post", { "data-post": number }, head, text, acts);
}
