// Subscribes to all addresses that the page listens to; to frequent ones only while they are visible.

import { onRoots } from "../store/values.js";
import { isOpen, send, sendTogether } from "./socket.js";

// Replies come without a subscription; with one, the replies to other clients would come, too.
// Levels, gains and pitch come too often for a hidden page.
const excluded = ["error", "reply", "pong", "species", "meter", "tuner", "channel", "singing", "harmonies"];
const wanted = new Set(["/meter"]);
// The node takes patterns of up to 256 bytes.
const rootsInPattern = 12;
const roots = onRoots(subscribe);

/** Begins or ends a subscription that lasts while the page is visible. */
export function subscribeTo(pattern, on) {
  if (wanted.has(pattern) === on) return;
  if (on) wanted.add(pattern);
  else wanted.delete(pattern);
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
  const seen = document.hidden ? [] : [...wanted];
  sendTogether([["/unsubscribe"], ...[...patterns, ...seen].map((pattern) => ["/subscribe", pattern])]);
}

document.addEventListener("visibilitychange", subscribe);
