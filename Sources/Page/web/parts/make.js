// Shorthands for elements.

/** Makes an element with class, attributes and children; strings become text nodes. */
export function make(name, classes = "", attributes = {}, ...children) {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  return filled(element, attributes, children);
}

/** Makes an element of a picture. */
export const svg = (name, attributes, ...children) => filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** Makes a button that calls act(event) on a click. */
export function makeButton(classes, attributes, act, ...children) {
  const button = make("button", classes, { type: "button", ...attributes }, ...children);
  button.addEventListener("click", act);
  return button;
}

/** Gives an element attributes and children; an attribute that is undefined or false is left out. */
export function filled(element, attributes, children = []) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Makes an icon, by its name in the sprite. */
export const icon = (name) => svg("svg", { class: "icon", "aria-hidden": "true" }, svg("use", { href: "#i-" + name }));

/** Calls changed(isVisible) when an element comes into view or leaves it. */
export function onVisible(element, changed) {
  new IntersectionObserver((entries) => changed(entries.at(-1).isIntersecting)).observe(element);
}

/** Finds an element by selector. */
export const find = (selector, within = document) => within.querySelector(selector);
