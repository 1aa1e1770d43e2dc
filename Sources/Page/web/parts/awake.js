// The screen stays on where the browser allows it, which it does over https and on the node's own machine.

/** Keeps the screen on for as long as the page is seen. */
export function stayAwake() {
  if (!navigator.wakeLock) return;
  const ask = () => document.hidden || navigator.wakeLock.request("screen").catch(() => {});
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("pointerdown", ask, { once: true });
}
