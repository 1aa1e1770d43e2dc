// Subscribes to all addresses that the page listens to; to frequent ones only while they are visible.

import { onRoots } from "../store/values.js";
import { isOpen, send, sendTogether } from "./socket.js";

// Replies come without a subscription; with one, the replies to other clients would come, too.
// Levels, gains and pitch come too often for a hidden page.
const excluded = ["error", "reply", "pong", "species", "meter", "tuner", "channel", "singing", "harmonies"];
// The users of each pattern.
const wanted = new Map([["/meter", new Set(["page"])]]);
// The node takes patterns of up to 256 bytes.
const rootsInPattern = 12;
const roots = onRoots(subscribe);

/** Begins or ends the use of a subscription that lasts while the page is visible, and until its last user ends it. */
export function subscribeTo(pattern, on, user = pattern) {
  const users = wanted.get(pattern) ?? new Set();
  const before = users.size;
  if (on) users.add(user);
  else users.delete(user);
  wanted.set(pattern, users);
  if (before > 0 === users.size > 0) return;
  // A subscription adds to the others; they can only be ended together.
  if (on && isOpen() && !document.hidden) send("/subscribe", pattern);
  else subscribe();
}

/** Replaces the subscriptions by the current ones. */
export function subscribe() {
  if (!isOpen()) return;
  const always = [...roots].filter((root) => !excluded.includes(root));
  const patterns = [];
  for (let at = 0; at < always.length; at += rootsInPattern) patterns.push(`/{${always.slice(at, at + rootsInPattern).join(",")}}`);
  const seen = document.hidden ? [] : [...wanted.keys()].filter((pattern) => wanted.get(pattern).size > 0);
  sendTogether([["/unsubscribe"], ...[...patterns, ...seen].map((pattern) => ["/subscribe", pattern])]);
}

document.addEventListener("visibilitychange", subscribe);
