// One of a few words, side by side.

import { bind, shown } from "../store/pending.js";
import { fact, onTable } from "../store/table.js";
import { makeButton } from "./make.js";

/** Fills a group with a data-address and an aria-label, with the table's words or data-words. */
export function choice(group) {
  const { address } = group.dataset;
  group.setAttribute("role", "radiogroup");
  let buttons = [];

  const draw = () => {
    const value = String(shown(address) ?? "");
    const chosen = buttons.findIndex((button) => button.dataset.word === value);
    // If none is chosen, the first has the tab stop.
    for (const [at, button] of buttons.entries()) {
      button.setAttribute("aria-checked", String(at === chosen));
      button.tabIndex = at === Math.max(0, chosen) ? 0 : -1;
    }
  };
  const choose = (button) => {
    const { word } = button.dataset;
    set(fact(address).types === "s" || isNaN(word) ? word : Number(word));
  };
  const fill = (words) => {
    buttons = words.map((entry) => {
      const [word, caption] = entry.split("=");
      const written = caption ?? word;
      // Groups share words: screen readers need the group's name.
      const name = `${written}, ${group.getAttribute("aria-label")}`;
      return makeButton("", { role: "radio", "data-word": word, "aria-label": name }, (event) => choose(event.currentTarget), written);
    });
    group.replaceChildren(...buttons);
    draw();
  };
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = buttons.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = buttons[(at + step + buttons.length) % buttons.length];
    choose(next);
    next.focus();
  });

  const given = group.dataset.words?.split(" ");
  if (given) fill(given);
  else onTable(() => fill(fact(address).words));
  const set = bind(group, address, draw);
}
