// An on/off switch.

import { bind, shown } from "../store/pending.js";

const onClick = (button, act) => button.addEventListener("click", act);

/** Makes a switch of a button with a data-address. */
export function flag(button, onPress = onClick) {
  const { address } = button.dataset;
  button.setAttribute("role", "switch");
  const set = bind(button, address, () => button.setAttribute("aria-checked", String(shown(address) === 1)));
  onPress(button, () => set(shown(address) === 1 ? 0 : 1));
}
