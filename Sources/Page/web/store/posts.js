// The posts fetched so far, newest first.

import { send } from "../link/socket.js";
import { hear } from "./values.js";

const pageSize = 30;
const posts = new Map();
const watchers = new Set();
let coming;
let complete = false;
let fault = "";

/** Calls show() when the list changes. */
export function watchPosts(show) {
  watchers.add(show);
}

/** The posts, newest first: {number, name, date, message, seconds, fresh, mine}. */
export const knownPosts = () => [...posts.values()].sort((one, other) => other.number - one.number);

/** Whether there are older posts, and why there may be none. */
export const postsState = () => ({ complete, fault });

/** Queries the newest posts, or those before the oldest one fetched. */
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

/** Drops all posts: the board has changed, or a reply was lost. */
export function resetPosts() {
  posts.clear();
  coming = undefined;
  fault = "";
  changed();
}

function changed() {
  for (const show of watchers) show();
}
