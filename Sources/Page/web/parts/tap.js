// A tap that counts right after a swipe, too, where browsers drop the click.

const slack = 12;

/** Calls act() for a tap or a click on a button, or a press by key or screen reader. */
export function tap(button, act) {
  let from;
  button.addEventListener("pointerdown", (event) => {
    if (!event.button) from = { id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  button.addEventListener("pointercancel", () => (from = undefined));
  button.addEventListener("pointerup", (event) => {
    const is = from?.id === event.pointerId && Math.hypot(event.clientX - from.x, event.clientY - from.y) < slack;
    from = undefined;
    if (is && !button.disabled) act();
  });
  // The pointer event has handled it already.
  button.addEventListener("click", (event) => event.detail || event.pointerType || act());
}
