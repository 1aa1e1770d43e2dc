// A text field that sends on Enter or when it loses focus.

import { watch } from "../store/values.js";

/** Makes a field call send(text); Escape restores the previous text. */
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

/** Calls send(text) when a form with one field is submitted, and empties the field if that returns true. */
export function onSubmit(form, input, send) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!send(input.value.trim())) return input.focus();
    input.value = "";
    input.blur();
  });
}

/** Shows the value of an address in a field, unless it is being edited. */
export function showIn(input, address, text = String) {
  watch(address, (...values) => {
    if (document.activeElement !== input) input.value = text(...values);
  });
}
