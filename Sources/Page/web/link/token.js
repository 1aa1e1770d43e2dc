// The token that pairs this browser with the node. It comes in the URL's fragment and is stored.

const key = "syrinx.token";

/** Moves a token from the URL to storage; returns the stored token. */
export function pairedToken() {
  const found = /^#t=([\w-]+)/.exec(location.hash);
  if (found) {
    keepToken(found[1]);
    history.replaceState(null, "", location.pathname);
  }
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return found?.[1] ?? "";
  }
}

/** Stores a token, also one pasted as the whole URL. */
export function keepToken(token) {
  const bare = /[\w-]+$/.exec(token.trim())?.[0] ?? "";
  try {
    localStorage.setItem(key, bare);
  } catch {
    // Without storage the browser pairs again each time.
  }
  return bare;
}
