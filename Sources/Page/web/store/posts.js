// The posts fetched so far, newest first.

import { send } from "../link/socket.js";
import { pagedList, pageSize } from "./paged.js";
import { listen } from "./values.js";

const list = pagedList({
  item: "/post",
  end: "/feed/end",
  commands: ["/feed"],
  deleted: "/feed/deleted",
  read: (id, name, date, message, seconds) => ({ id, name, date, message, seconds, fresh: !list.isQuerying() }),
  send: ({ items }, isMore) => send("/feed", isMore ? Math.min(...items.keys()) : 0, pageSize),
  announced(list, post) {
    list.items.set(post.id, post);
    list.changed();
  },
});

listen("/feed/mine", (id) => {
  const post = list.find(id);
  if (!post) return;
  post.mine = true;
  if (!list.isQuerying()) list.changed();
});

// A feed server that is down is queried again until it replies.
const retrySeconds = 5;
let retry;
list.watch(() => {
  clearTimeout(retry);
  retry = list.fault ? setTimeout(() => list.fault && list.query(), retrySeconds * 1000) : undefined;
});

/** Calls show() when the list changes. */
export const watchPosts = list.watch;

/** The posts, newest first: {id, name, date, message, seconds, fresh, mine}. */
export const knownPosts = () => [...list.items.values()].sort((one, other) => other.id - one.id);

/** Whether there are no older posts, and why there may be none at all. */
export const postsState = () => list;

/** Queries older posts. */
export const olderPosts = () => list.query(true);

/** Queries the newest posts of a board, and drops all others. */
export function queryPosts() {
  list.reset();
  list.items.clear();
  list.fault = "";
  list.changed();
  list.query();
}
