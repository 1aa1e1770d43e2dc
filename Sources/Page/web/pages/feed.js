// The feed: the form for a post, with the player that records its sound, and all posts.

import { send, sendTogether } from "../link/socket.js";
import { drawClip, playOrStop, watchClip } from "../parts/clip.js";
import { setUpControls, words } from "../parts/controls.js";
import { field, showIn } from "../parts/field.js";
import { find, icon, make } from "../parts/make.js";
import { announce } from "../parts/announce.js";
import { notify } from "../parts/notice.js";
import { setRows } from "../parts/rows.js";
import { keep, kept } from "../store/kept.js";
import { isUnderWay, slot, watchSlots } from "../store/loops.js";
import { knownPosts, olderPosts, postsState, queryPosts, watchPosts } from "../store/posts.js";
import { latest, listen, onReply, watch } from "../store/values.js";
import { capital, counted, time, when } from "../store/units.js";

const list = find("#feed-posts");
const message = find("#feed-message");
const clip = find("#feed-clip");
const button = find("#feed-send");

/** Sets up the feed page. */
export function setUpFeed() {
  setUpWriting();
  setUpSettings();
  watchPosts(draw);
  find("#feed-more").addEventListener("click", olderPosts);
  list.addEventListener("click", (event) => {
    const number = Number(event.target.closest("[data-post]")?.dataset.post);
    const act = event.target.closest("[data-act]")?.dataset.act;
    if (act === "play") playOrStop("/feed", number);
    else if (act === "delete") notify("Delete your post for everyone?", "info", ["Delete", () => send("/feed/delete", number)]);
    else if (act) send(`/feed/${act}`, number);
  });
  watchClip(() => list.querySelectorAll("[data-act=play]").forEach(drawPlay));
  onReply("/feed/keep", (_, title) => notify(`Saved as a take: ${title}`, "done"));
  onReply("/feed/delete", () => notify("Post deleted", "done"));
}

// Writing.

const drawPlay = (button) => drawClip(button, "/feed", button.closest("[data-post]").dataset.post);

const clipKey = "syrinx.clip";
const wantsClip = () => clip.getAttribute("aria-checked") === "true";

// As the node counts them.
const longestMessage = 4096;
const segmenter = window.Intl?.Segmenter && new Intl.Segmenter();
const lengthOf = (text) => text.length <= longestMessage ? text.length : segmenter ? [...segmenter.segment(text)].length : [...text].length;

function setUpWriting() {
  const enable = () => {
    const [state, , , length = 0] = latest("/player/state") ?? [];
    const hasClip = length > 0 && !isUnderWay(state);
    clip.setAttribute("aria-disabled", String(!hasClip));
    const excess = lengthOf(message.value.trim()) - longestMessage;
    const words = excess > 0 ? `${counted(excess, "character")} too many` : "";
    if (words && find("#feed-excess").textContent !== words) announce("feed", words);
    find("#feed-excess").textContent = words;
    const isEmpty = !message.value.trim() && !(hasClip && wantsClip());
    // While it is recorded, the sound would be missing.
    button.disabled = isUnderWay(state) || isEmpty || excess > 0 || wantsClip() && !hasClip;
  };
  const check = (on) => {
    clip.setAttribute("aria-checked", String(on));
    // A reload keeps it.
    keep(clipKey, on ? "1" : "");
    enable();
  };
  message.addEventListener("input", enable);
  clip.addEventListener("click", () => clip.getAttribute("aria-disabled") === "true" || check(!wantsClip()));
  let state;
  listen("/player/state", (now, _, __, length) => {
    if (now === "start" && !length && wantsClip()) check(false);
    // The user will want to post the recording.
    if (isUnderWay(state) && !isUnderWay(now) && !find("#feed").hidden) check(true);
    state = now;
    enable();
  });
  keepRecording();
  const line = find("#feed-loop");
  watchSlots((number) => {
    if (number > 1) return;
    const { state, length } = slot(1);
    const end = state === "recording" ? ". Stop it to post it." : "";
    const words = latest("/player/state")?.[1] === "play" ? "The sound is your recording, not the open clip" : `The sound is loop 1: ${state}` + (length ? `, ${time(length)}` : "") + end;
    if (line.textContent !== words) line.textContent = words;
  });
  button.addEventListener("click", () => {
    // A take or post that was only heard covers the recording.
    if (wantsClip()) sendTogether([["/player/back"], ["/feed/post/clip", message.value.trim()]]);
    else send("/feed/post", message.value.trim());
    button.disabled = true;
  });
  for (const command of ["/feed/post", "/feed/post/clip"]) onReply(command, () => {
    message.value = "";
    check(false);
    tellSent();
  });
  listen("/error", (address) => address.startsWith("/feed/post") && enable());
  watch("/feed/waiting", (count) => {
    find("#feed-waiting").textContent = count ? `${count} ${count === 1 ? "post waits" : "posts wait"} for the feed server` : "";
  });
  check(kept(clipKey) === "1");
}

// Another post may follow at once, and the node may be busy with the last one.
const coveredMilliseconds = 300;
const mostTries = 20;

// A post that is played covers the recording that was to be posted, which comes back at its end.
function keepRecording() {
  let timer;
  let isPlaying = false;
  let tries = 0;
  const bringBack = () => {
    if (!wantsClip()) return;
    if (latest("/player/state")?.[0] === "start" && !slot(1).waits) send("/player/back");
    else timer = setTimeout(bringBack, coveredMilliseconds);
  };
  listen("/feed/playing", (number) => {
    clearTimeout(timer);
    tries = 0;
    if (isPlaying && !(number > 0)) timer = setTimeout(bringBack, coveredMilliseconds);
    isPlaying = number > 0;
  });
  listen("/error", (address, code) => {
    if (address === "/player/back" && code === "busy" && !isPlaying && tries++ < mostTries) timer = setTimeout(bringBack, coveredMilliseconds);
  });
}

// It waits in the node until the feed server has it.
const sendingSeconds = 2.5;

let sending;

function tellSent() {
  clearTimeout(sending);
  sending = setTimeout(() => {
    sending = undefined;
    notify("Saved: it is sent as soon as the feed server can be reached");
  }, sendingSeconds * 1000);
}

listen("/feed/waiting", (count) => {
  if (count || !sending) return;
  clearTimeout(sending);
  sending = undefined;
  notify("Posted", "done");
});

function setUpSettings() {
  const settings = make("details", "feed-settings", {}, make("summary", "tool", {}, "Feed server and name"));
  const fields = [["name", "Name", "the node's", { maxlength: 64 }], ["board", "Feed server", "this node's own", { type: "url" }]];
  for (const [name, caption, placeholder, more] of fields) {
    const input = make("input", "field", { id: `feed-${name}`, autocomplete: "off", placeholder, "data-caption": caption, ...more });
    field(input, (text) => send(`/feed/${name}`, text));
    showIn(input, `/feed/${name}`);
    settings.append(input);
  }
  settings.append(words("/feed/format", "Sound", "Format of posted sounds"));
  find(".compose").append(setUpControls(settings));
  let board;
  watch("/feed/board", (url) => {
    if (board !== undefined && board !== url) queryPosts();
    board = url;
  });
}

// Reading.

function draw() {
  const posts = knownPosts();
  const { complete, fault } = postsState();
  setRows(list, posts.map(row), clip);
  list.querySelectorAll("[data-act=play]").forEach(drawPlay);
  find("#feed-more").hidden = complete || !posts.length;
  const empty = find("#feed-empty");
  empty.hidden = posts.length > 0 && !fault;
  empty.textContent = fault ? capital(fault) : "No posts yet.";
}

function row({ id, name, date, message, seconds, fresh, mine }) {
  const head = make("small", "", {}, make("b", "", {}, name || "Somebody"), ` \u00b7 ${when(date)}${seconds > 0 ? " \u00b7 " + time(seconds) : ""}`);
  const text = make("p", "", {}, message);
  const acts = make("span", "post-acts");
  const of = `the sound of ${name || "somebody"}, ${when(date)}`;
  const act = (name, sign, label) => acts.append(make("button", "tool square", { type: "button", "data-act": name, "aria-label": label }, icon(sign)));
  if (seconds >= 0) {
    act("play", "play", `Play ${of}`);
    act("keep", "keep", `Keep ${of}`);
  }
  if (mine) act("delete", "clear", `Delete your post, ${when(date)}`);
  return make("li", fresh ? "post fresh" : "post", { "data-post": id }, head, text, acts);
}
