// The token that pairs this browser with the node. It comes in the URL's fragment and is stored.

import { keep, kept } from "../store/kept.js";

const key = "syrinx.token";

/** Moves a token from the URL to storage; returns the stored token. */
export function pairedToken() {
  const found = /^#t=([\w-]+)/.exec(location.hash)?.[1];
  if (found) {
    keepToken(found);
    history.replaceState(null, "", location.pathname);
  }
  return kept(key) ?? found ?? "";
}

/** Stores a token, also one pasted as the whole URL. */
export function keepToken(token) {
  const bare = /[\w-]+$/.exec(token.trim())?.[0] ?? "";
  keep(key, bare);
  return bare;
}
