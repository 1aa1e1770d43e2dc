// The token that pairs this browser with the node: it comes behind # in the address, and is kept.

const key = "syrinx.token";

/** Takes the token out of the address bar, keeps it, and returns the one that is kept. */
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

/** Keeps a token, also one that was pasted as the whole address. */
export function keepToken(token) {
  const bare = /[\w-]+$/.exec(token.trim())?.[0] ?? "";
  try {
    localStorage.setItem(key, bare);
  } catch {
    // A browser that keeps nothing pairs anew each time.
  }
  return bare;
}
