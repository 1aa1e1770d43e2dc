// The screen wake lock, which browsers allow over https and on localhost.

/** Keeps the screen on while the page is visible. */
export function stayAwake() {
  if (!navigator.wakeLock) return;
  const ask = () => document.hidden || navigator.wakeLock.request("screen").catch(() => {});
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("pointerdown", ask, { once: true });
}
