// An on/off switch.

import { set, shown } from "../store/pending.js";
import { fact, onTable } from "../store/table.js";
import { watch } from "../store/values.js";

const onClick = (button, act) => button.addEventListener("click", act);

/** Makes a switch of a button with a data-address. It is lit at the value data-lit, by default 1. */
export function flag(button, listen = onClick) {
  const address = button.dataset.address;
  const lit = "lit" in button.dataset ? Number(button.dataset.lit) : 1;
  button.setAttribute("role", "switch");
  const show = () => button.setAttribute("aria-checked", String(shown(address) === lit));
  show();
  watch(address, show);
  onTable(() => (button.title = fact(address).help ?? ""));
  listen(button, () => {
    set(address, shown(address) === 1 ? 0 : 1, show);
    show();
  });
}
