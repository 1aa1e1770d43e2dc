// A touch of a button that also counts right after a swipe, when browsers take it for the end of that.

const slack = 12;

/** Calls act() when a finger or the mouse has touched a button, or a key or a reader has pressed it. */
export function tap(button, act) {
  let from;
  button.addEventListener("pointerdown", (event) => {
    if (!event.button) from = { id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  button.addEventListener("pointercancel", () => (from = undefined));
  button.addEventListener("pointerup", (event) => {
    const is = from?.id === event.pointerId && Math.hypot(event.clientX - from.x, event.clientY - from.y) < slack;
    from = undefined;
    if (is) act();
  });
  // What a pointer has done is done by then.
  button.addEventListener("click", (event) => event.detail || event.pointerType || act());
}
