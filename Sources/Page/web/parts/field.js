// A text that is sent when it is whole: on Enter, or when the field is left.

import { watch } from "../store/values.js";

/** Makes a field send what stands in it to send(text); Escape puts back what was there. */
export function field(input, send) {
  let before = input.value;
  input.addEventListener("focus", () => (before = input.value));
  input.addEventListener("change", () => send(input.value.trim()));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && input.tagName === "INPUT") input.blur();
    if (event.key !== "Escape") return;
    input.value = before;
    input.blur();
    event.stopPropagation();
  });
}

/** Shows the value of an address in a field, unless somebody writes in it. */
export function showIn(input, address, text = String) {
  watch(address, (...values) => {
    if (document.activeElement !== input) input.value = text(...values);
  });
}
