// One of many words, in the browser's own list.

import { bind, shown } from "../store/pending.js";
import { fact, onTable } from "../store/table.js";
import { watch } from "../store/values.js";
import { make } from "./make.js";

/** Fills a select with a data-address, from the address data-list, from data-words, or from the table. */
export function pick(select) {
  const { address, list, words, also } = select.dataset;
  const fill = (entries) => {
    const all = also ? [...entries, also] : entries;
    select.replaceChildren(...all.map((word) => make("option", "", { value: word }, word)));
    draw();
  };
  // A value that the list lacks, such as another spelling of a note, is added.
  const draw = () => {
    const value = shown(address);
    if (value === undefined) return;
    const text = String(value);
    if (![...select.options].some((option) => option.value === text)) select.prepend(make("option", "", { value: text }, text || "\u2013"));
    // Orca reads a selection that is set again.
    if (select.value !== text) select.value = text;
  };
  select.addEventListener("change", () => set(select.value));
  if (words) fill(words.split(" "));
  else if (list) watch(list, (...entries) => fill(entries));
  else onTable(() => fill(fact(address).words));
  const set = bind(select, address, draw);
}
