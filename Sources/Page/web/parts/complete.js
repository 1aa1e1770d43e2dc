// Suggestions below a field: chosen by a tap, or with arrows and Enter.

import { make } from "./make.js";

const pause = 120;

/** Suggests the names that namesFor(text) resolves to, in an empty list after the field. */
export function complete(input, list, namesFor) {
  let at = -1;
  let due;
  let latest = 0;
  const options = () => [...list.children];
  const close = () => {
    clearTimeout(due);
    latest++;
    at = -1;
    list.hidden = true;
    list.replaceChildren();
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (place) => {
    at = place;
    for (const [index, option] of options().entries()) option.setAttribute("aria-selected", String(index === at));
    const marked = options()[at];
    if (!marked) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", marked.id);
    marked.scrollIntoView({ block: "nearest" });
  };
  const take = (name) => {
    close();
    input.value = name;
    input.dispatchEvent(new Event("change"));
  };
  const offer = async () => {
    const number = ++latest;
    const names = await namesFor(input.value.trim());
    // The text has changed, or the field has lost focus.
    if (number !== latest || document.activeElement !== input) return;
    const useful = names.filter((name) => name !== input.value);
    if (!useful.length) return close();
    at = -1;
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(...useful.map((name, index) => make("li", "", { id: `${list.id}-${index}`, role: "option", "aria-selected": "false" }, name)));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };
  input.setAttribute("aria-expanded", "false");
  input.addEventListener("input", () => {
    clearTimeout(due);
    due = setTimeout(offer, pause);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const count = list.children.length;
    if (list.hidden) {
      if (event.key === "ArrowDown") offer();
      return;
    }
    switch (event.key) {
      case "ArrowDown": mark((at + 1) % count); break;
      case "ArrowUp": mark((Math.max(at, 0) - 1 + count) % count); break;
      case "Enter":
        if (at < 0) return close();
        take(options()[at].textContent);
        break;
      case "Escape": close(); break;
      default: return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  // The field keeps focus, and a phone its keyboard.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) take(option.textContent);
  });
}
