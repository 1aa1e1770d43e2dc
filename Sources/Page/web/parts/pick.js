// One of many words, in the browser's own list.

import { set, shown } from "../store/pending.js";
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
    select.value = text;
  };
  select.addEventListener("change", () => {
    set(address, select.value, draw);
    draw();
  });
  if (words) fill(words.split(" "));
  if (list) watch(list, (...entries) => fill(entries));
  onTable(() => {
    select.title = fact(address).help ?? "";
    if (!words && !list) fill(fact(address).words);
  });
  watch(address, draw);
}
