// The controls of the page: completed from their attributes, and connected to their addresses.

import { beat } from "./beat.js";
import { choice } from "./choice.js";
import { fader } from "./fader.js";
import { flag } from "./flag.js";
import { icon, make } from "./make.js";
import { levelFigure, meter } from "./meter.js";
import { pad } from "./pad.js";
import { pick } from "./pick.js";
import { press } from "./press.js";
import { stepper } from "./stepper.js";

const kinds = {
  "[data-icon]": addIcon,
  "[data-caption]": addCaption,
  "[data-title]": addHeader,
  ".rig > .card": (card) => card.prepend(make("h2", "", {}, card.getAttribute("aria-label"))),
  ".fader": fader,
  ".switch[data-address]": flag,
  ".choice[data-address]": choice,
  ".pad": pad,
  "select[data-address]": pick,
  ".stepper": stepper,
  "[data-press]": press,
  "[data-meter]": meter,
  "[data-level]": levelFigure,
  ".beats": beat,
};

/** Sets up all controls in an element; returns it. */
export function setUpControls(root) {
  for (const [selector, setUp] of Object.entries(kinds)) root.querySelectorAll(selector).forEach((element) => setUp(element));
  return root;
}

/** Adds the icon data-icon before the text of a button or label; a press also has a bar. */
function addIcon(element) {
  const picture = icon(element.dataset.icon);
  if (element.matches(".press")) element.replaceChildren(make("i", "run"), picture, make("span", "", {}, element.textContent));
  else element.prepend(picture);
}

/** Puts a select, field or choice next to its data-caption. */
function addCaption(control) {
  const { caption } = control.dataset;
  const [name, kind] = control.matches("select") ? ["label", "pick"] : control.matches(".field") ? ["label", "entry"] : ["div", "labelled"];
  const frame = make(name, kind, {}, ...(caption ? [make("small", "", {}, caption)] : []));
  // The classes of a list are its frame's.
  if (kind === "pick" && control.className) [frame.className, control.className] = [`pick ${control.className}`, ""];
  control.replaceWith(frame);
  frame.append(control);
}

/** Adds the header of a sheet with the title data-title. */
function addHeader(sheet) {
  const { title } = sheet.dataset;
  const close = make("button", "close", { type: "button", "data-close": true, "aria-label": `Close ${title.toLowerCase()}` }, icon("close"));
  sheet.prepend(make("header", "", {}, make("h2", "", {}, title), close));
}

// Controls made by a page's script.

/** A fader; more are its attributes. */
export const slide = (address, caption, label, more = {}) => make("div", "fader", { "data-address": address, "data-label": label, ...more }, caption);

/** A switch. */
export const toggle = (address, caption) => make("button", "switch tile", { type: "button", "data-address": address }, caption);

/** A button that sends a value. */
export const sender = (address, caption, value, more = {}) => make("button", "tool", { type: "button", "data-press": address, "data-value": value, ...more }, caption);

/** A group of words; more are its attributes. */
export const words = (address, caption, label, more = {}) => make("div", "choice", { "data-address": address, "data-caption": caption, "aria-label": label, ...more });

/** A list of words. */
export const list = (address, caption, label, more = {}) => make("select", "", { "data-address": address, "data-caption": caption, "aria-label": label, ...more });
