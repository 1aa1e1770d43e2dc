// Buttons that a tap turns on, and only a hold turns off: the locks.

import { send } from "../link/socket.js";
import { fact, onTable } from "../store/table.js";
import { value, watch } from "../store/values.js";
import { make } from "./make.js";
import { notify } from "./notice.js";

const holdTime = 800;

/** Calls tapped() for a tap or a click, and held() once a button is held while isOn(). */
export function onHold(button, isOn, held, tapped) {
  let timer;
  // The click after the hold is no tap.
  let isDone = false;
  const end = () => {
    button.classList.remove("holding");
    clearTimeout(timer);
    timer = undefined;
  };
  const begin = () => {
    if (!isOn() || timer) return;
    button.classList.add("holding");
    timer = setTimeout(() => {
      end();
      held();
      isDone = true;
    }, holdTime);
  };
  button.addEventListener("pointerdown", () => {
    isDone = false;
    begin();
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    if (!event.repeat) isDone = false;
    begin();
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave", "keyup", "blur"]) button.addEventListener(name, end);
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    if (isDone) isDone = false;
    else tapped();
  });
}

/** Makes the switch of an address, which is held to turn it off; words are its captions while it is off and on. */
export function holdSwitch(address, words) {
  const button = make("button", "switch tile hold", { type: "button", role: "switch", "aria-checked": "false" }, words[0]);
  const isOn = () => value(address) === 1;
  onHold(button, isOn, () => send(address, 0), () => isOn() ? notify("Hold it to unlock") : send(address, 1));
  onTable(() => (button.title = fact(address).help ?? ""));
  watch(address, () => {
    button.setAttribute("aria-checked", String(isOn()));
    button.textContent = words[isOn() ? 1 : 0];
  });
  return button;
}
