// A button that sends a message.

import { send } from "../link/socket.js";
import { fact, onTable } from "../store/table.js";

/** Makes a button send data-value to the address data-press. */
export function press(button) {
  const { press: address, value } = button.dataset;
  button.addEventListener("click", () => (value === undefined ? send(address) : send(address, Number(value))));
  onTable(() => (button.title = fact(address).help ?? ""));
}
