// The views of a page, of which a small screen shows one at a time.

import { keep, kept } from "../store/kept.js";
import { capital } from "../store/units.js";
import { makeButton } from "./make.js";

/** Makes a button for each of a group's data-views, and shows the one kept under key, else the first; show(view) shows another. */
export function setUpViews(group, show, key) {
  const names = group.dataset.views.split(" ");
  const buttons = names.map((name) => makeButton("", { "data-view": name }, () => turn(name), capital(name)));
  const turn = (view) => {
    show(view);
    if (key) keep(key, view);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  };
  group.replaceChildren(...buttons);
  turn(names.find((name) => key && name === kept(key)) ?? names[0]);
}
