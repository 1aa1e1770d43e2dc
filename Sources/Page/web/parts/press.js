// A button that does one thing at the node.

import { send } from "../link/socket.js";
import { fact, onTable } from "../store/table.js";

/** Makes a press of a button with a data-press, the address; data-value is sent along. */
export function press(button) {
  const { press: address, value } = button.dataset;
  button.addEventListener("click", () => (value === undefined ? send(address) : send(address, Number(value))));
  onTable(() => (button.title = fact(address).help ?? ""));
}
