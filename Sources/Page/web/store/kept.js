// Values that this browser keeps, if it has storage.

/** A kept value; undefined if there is none. */
export function kept(key) {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a value; without storage it is lost with the page. */
export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The page works without.
  }
}
