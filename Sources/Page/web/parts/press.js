// A button that sends a message.

import { send } from "../link/socket.js";
import { fact, onTable } from "../store/table.js";

/** Makes a button send data-value to the address data-press. */
export function press(button) {
  const { press: address, value } = button.dataset;
  const values = value === undefined ? [] : [value === "" ? value : Number(value)];
  button.addEventListener("click", () => send(address, ...values));
  onTable(() => (button.title = fact(address).help ?? ""));
}
