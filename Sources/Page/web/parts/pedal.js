// A button that acts as a pedal. The node distinguishes short, long and double presses.

import { send } from "../link/socket.js";
import { keepTouches, onLeave } from "./release.js";

/** Makes a pedal of a button: it sends 1 to its address on press, 0 on release. */
export function pedal(button, address) {
  let down;
  const press = (by) => {
    if (down !== undefined) return;
    down = by;
    button.classList.add("touched");
    send(address, 1);
  };
  const lift = (by) => {
    if (down === undefined || (by !== undefined && by !== down)) return;
    down = undefined;
    button.classList.remove("touched");
    send(address, 0);
  };
  const isKey = ({ key }) => key === " " || key === "Enter";
  button.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    button.setPointerCapture(event.pointerId);
    press(event.pointerId);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(name, (event) => lift(event.pointerId));
  button.addEventListener("keydown", (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat) return;
    // A control that is being mapped does nothing else.
    if (document.body.classList.contains("learning")) button.click();
    else press(event.key);
  });
  button.addEventListener("keyup", (event) => isKey(event) && lift(event.key));
  // Screen readers click.
  button.addEventListener("click", (event) => {
    if (event.detail || event.pointerType) return;
    press("click");
    lift("click");
  });
  button.addEventListener("blur", () => typeof down === "string" && lift());
  keepTouches(button);
  onLeave(lift);
  return { press, lift };
}
