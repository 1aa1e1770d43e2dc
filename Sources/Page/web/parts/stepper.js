// An integer between two buttons.

import { bind, shown } from "../store/pending.js";
import { fact } from "../store/table.js";
import { filled, icon, make, makeButton } from "./make.js";

/** Makes a stepper of an element with its name and a data-address; data-zero is the text at 0. */
export function stepper(element) {
  const { address, zero } = element.dataset;
  const name = element.textContent.trim();
  const figure = make("output", "stepper-figure");
  const button = (step, label, sign) => makeButton("", { "aria-label": `${name}: ${label}` }, () => {
    const { min = -Infinity, max = Infinity } = fact(address);
    const value = Math.min(max, Math.max(min, (shown(address) ?? 0) + step));
    if (value !== shown(address)) set(value);
  }, icon(sign));
  const [less, more] = [button(-1, "less", "minus"), button(1, "more", "plus")];
  const draw = () => {
    const value = shown(address);
    const { min, max } = fact(address);
    figure.textContent = value === undefined ? "\u2013" : value === 0 && zero ? zero : String(value).replace("-", "\u2212");
    // A disabled button would lose the focus.
    less.setAttribute("aria-disabled", String(value <= min));
    more.setAttribute("aria-disabled", String(value >= max));
  };
  filled(element, { role: "group", "aria-label": name });
  element.replaceChildren(less, make("span", "stepper-name", {}, make("span", "", {}, name), figure), more);
  const set = bind(element, address, draw);
}
