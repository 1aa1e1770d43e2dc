// The posts of the board as far as they were asked for, newest first.

import { send } from "../link/socket.js";
import { hear } from "./values.js";

const pageSize = 30;
const posts = new Map();
const watchers = new Set();
let coming;
let complete = false;
let fault = "";

/** Calls show() whenever the list is another. */
export function watchPosts(show) {
  watchers.add(show);
}

/** The posts, newest first: {number, name, date, message, seconds, fresh, mine}. */
export const knownPosts = () => [...posts.values()].sort((one, other) => other.number - one.number);

/** Whether there are older ones, and why there may be none. */
export const postsState = () => ({ complete, fault });

/** Asks for the newest, or, where some are there, for those before the oldest. */
export function askForPosts(older = false) {
  if (coming) return;
  const before = older ? Math.min(...posts.keys()) : 0;
  if (!send("/feed", before, pageSize)) return;
  coming = { older, posts: [] };
}

hear("/post", (number, name, date, message, seconds) => {
  const post = { number, name, date, message, seconds, fresh: !coming };
  if (coming) coming.posts.push(post);
  else {
    posts.set(number, post);
    changed();
  }
});

hear("/feed/mine", (number) => {
  const post = coming?.posts.find((one) => one.number === number) ?? posts.get(number);
  if (!post) return;
  post.mine = true;
  if (!coming) changed();
});

hear("/feed/end", () => {
  if (!coming) return;
  if (!coming.older) posts.clear();
  for (const post of coming.posts) posts.set(post.number, post);
  if (coming.older || coming.posts.length < pageSize) complete = coming.posts.length < pageSize;
  else complete = false;
  coming = undefined;
  fault = "";
  changed();
});

hear("/error", (address, code, words) => {
  if (address !== "/feed" || !coming) return;
  coming = undefined;
  complete = true;
  fault = words;
  changed();
});

hear("/feed/deleted", (number) => posts.delete(number) && changed());

/** Forgets all: they are of another board, or the answer was lost. */
export function resetPosts() {
  posts.clear();
  coming = undefined;
  fault = "";
  changed();
}

function changed() {
  for (const show of watchers) show();
}
