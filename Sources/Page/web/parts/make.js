// Shorthands for elements.

/** Makes an element with class, attributes and children; strings become text nodes. */
export function make(name, classes = "", attributes = {}, ...children) {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Makes an icon from the sprite in index.html. */
export function icon(name) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const use = document.createElementNS(ns, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", "#i-" + name);
  svg.append(use);
  return svg;
}

/** Finds an element by selector. */
export const find = (selector, within = document) => within.querySelector(selector);
