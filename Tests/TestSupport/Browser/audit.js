// Audits a page's layout; a fault is a line with a description and the element.

const operated = "button, a[href], input, select, textarea, summary, [data-cell], [data-play], "
  + ["button", "switch", "radio", "slider", "link", "tab", "option", "checkbox", "menuitem"].map((role) => `[role=${role}]`).join(", ");

const styleOf = (element) => getComputedStyle(element);

function intersection(a, b) {
  const [left, top] = [Math.max(a.left, b.left), Math.max(a.top, b.top)];
  const [right, bottom] = [Math.min(a.right, b.right), Math.min(a.bottom, b.bottom)];
  return { left, top, right, bottom, width: right - left, height: bottom - top };
}

const isThere = (box) => box.width > 0.5 && box.height > 0.5;

/** The part of an element's box that its ancestors don't clip. */
function seen(element, box) {
  let rest = intersection(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  let position = styleOf(element).position;
  for (let parent = element.parentElement; parent && position !== "fixed"; parent = parent.parentElement) {
    const style = styleOf(parent);
    const isAround = position !== "absolute" || style.position !== "static";
    if (isAround && (style.overflowX !== "visible" || style.overflowY !== "visible")) rest = intersection(rest, parent.getBoundingClientRect());
    if (isAround) position = style.position;
  }
  return rest;
}

const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) && isThere(element.getBoundingClientRect());

/** The touch target of a field: a label takes the touches for the field in it. */
const surfaceOf = (element) => (element.matches("input[type=file], input[type=checkbox], input[type=radio]") && element.closest("label")) || element;

const nameOf = (element) => {
  const name = element.getAttribute("aria-label") || element.textContent.trim() || element.placeholder || element.title || element.id || element.className;
  return `${element.localName} "${String(name).replace(/\s+/g, " ").slice(0, 40)}"`;
};

/** All visible controls. */
const targets = () => [...new Set([...document.querySelectorAll(operated)].map(surfaceOf))].filter(isVisible);

/** Scrolls all scrollable elements by a screen at a time, collects the results of look(), and restores the positions. */
function throughout(look) {
  const scrollers = [...document.querySelectorAll("*")].filter((one) => one.scrollHeight > one.clientHeight + 1 && one.clientHeight && /auto|scroll/.test(styleOf(one).overflowY));
  const began = scrollers.map((one) => one.scrollTop);
  const found = new Set();
  for (let step = 0; ; step++) {
    let moved = step === 0;
    for (const one of scrollers) {
      const before = step && one.scrollTop;
      one.scrollTo({ top: step * one.clientHeight * 0.8, behavior: "instant" });
      moved = moved || one.scrollTop !== before;
    }
    if (!moved) break;
    for (const line of look(step > 0)) found.add(line);
  }
  scrollers.forEach((one, at) => one.scrollTo({ top: began[at], behavior: "instant" }));
  return [...found];
}

/** Elements that make the page wider than its window. */
function widthFaults() {
  const faults = [];
  for (const one of [document.documentElement, document.body, ...document.querySelectorAll("body *")]) {
    const isWindow = one === document.documentElement;
    if (one.scrollWidth <= one.clientWidth + 1 || !one.clientWidth || !(isWindow || isVisible(one))) continue;
    if (isWindow || /auto|scroll/.test(styleOf(one).overflowX)) faults.push(`${nameOf(one)} is ${one.scrollWidth} wide in ${one.clientWidth}`);
  }
  return faults;
}

function sticks(element) {
  for (let one = element; one; one = one.parentElement) if (styleOf(one).position === "sticky") return true;
  return false;
}

/** Targets of a layer that overlap each other, or are covered. */
const overlapFaults = (layer) => throughout((isScrolled) => {
  const faults = [];
  const all = targets().filter((one) => one.closest(layer)).map((element) => ({ element, box: seen(element, element.getBoundingClientRect()) })).filter(({ box }) => isThere(box));
  all.forEach(({ element, box }, at) => {
    for (const other of all.slice(at + 1)) {
      if (element.contains(other.element) || other.element.contains(element)) continue;
      // Content scrolls under sticky elements.
      if (isScrolled && sticks(element) !== sticks(other.element)) continue;
      const both = intersection(box, other.box);
      if (isThere(both)) faults.push(`${nameOf(element)} and ${nameOf(other.element)} share ${both.width.toFixed(1)} x ${both.height.toFixed(1)}`);
    }
    if (isScrolled || element.closest("[inert]")) return;
    const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
    if (top && !element.contains(top) && !top.contains(element) && !top.closest("label")?.contains(element)) faults.push(`${nameOf(element)} lies under ${nameOf(top)}`);
  });
  return faults;
});

/** The targets that are smaller than a size in either dimension, with their sizes. */
const smaller = (least, selector = "*") => targets().filter((one) => one.matches(selector)).flatMap((one) => {
  const { width, height } = one.getBoundingClientRect();
  return Math.min(width, height) < least - 0.01 ? [`${nameOf(one)} ${width.toFixed(1)} x ${height.toFixed(1)}`] : [];
});

// Contrast as defined by WCAG 2, from the pixels of two screenshots: with the text, and without.

const canvas = (width, height) => new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });

const dot = canvas(1, 1);
const colours = new Map();
function colour(text) {
  if (!colours.has(text)) {
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = text;
    dot.fillRect(0, 0, 1, 1);
    colours.set(text, [...dot.getImageData(0, 0, 1, 1).data]);
  }
  return colours.get(text);
}

const linear = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
function contrast(a, b) {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

const isOff = (element) => element.closest(":disabled, [aria-disabled=true], [inert]") !== null;

function opacity(element) {
  let all = 1;
  for (let one = element; one; one = one.parentElement) all *= Number(styleOf(one).opacity);
  return all;
}

/** The visible texts, each with its boxes, color and size; disabled controls are exempt. */
function texts() {
  const found = [];
  const take = (element, words, boxes, style) => {
    if (isOff(element) || !isVisible(element)) return;
    boxes = boxes.map((box) => seen(element, box)).filter(isThere);
    if (!boxes.length) return;
    const [r, g, b, a] = colour(style.color);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    found.push({ words: words.trim().slice(0, 40), boxes, ink: [r, g, b], alpha: (a / 255) * opacity(element), least: isLarge ? 3 : 4.5 });
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("option, textarea, symbol, script, style")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    take(element, node.data, [...range.getClientRects()], styleOf(element));
  }
  for (const field of document.querySelectorAll("input:not([type=range], [type=file]), textarea, select")) {
    const words = field.localName === "select" ? field.selectedOptions[0]?.text : field.value || field.placeholder;
    const style = field.value || !field.placeholder ? styleOf(field) : getComputedStyle(field, "::placeholder");
    if (words) take(field, words, [field.getBoundingClientRect()], style);
  }
  return found;
}

const hidden = new CSSStyleSheet();
hidden.replaceSync("*, ::before, ::after, ::placeholder { -webkit-text-fill-color: transparent !important; caret-color: transparent !important }");
const still = new CSSStyleSheet();
still.replaceSync("*, ::before, ::after { transition: none !important; animation: none !important }");

/** Hides all text, or shows it again, without moving anything. */
function hideLetters(are) {
  document.adoptedStyleSheets = are === undefined ? [] : are ? [still, hidden] : [still];
}

async function points(picture) {
  const bytes = Uint8Array.from(atob(picture), (one) => one.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const sheet = canvas(image.width, image.height);
  sheet.drawImage(image, 0, 0);
  return sheet.getImageData(0, 0, image.width, image.height);
}

/** The texts with too little contrast to the background under them. */
async function contrastFaults(written, blank) {
  const [with_, without] = [await points(written), await points(blank)];
  const faults = [];
  for (const { words, boxes, ink, alpha, least } of texts()) {
    const grounds = new Map();
    let count = 0;
    for (const box of boxes) {
      for (let y = Math.floor(box.top); y < Math.min(box.bottom, without.height); y++) {
        for (let x = Math.floor(box.left); x < Math.min(box.right, without.width); x++) {
          const at = 4 * (y * without.width + x);
          const change = [0, 1, 2].reduce((sum, one) => sum + Math.abs(with_.data[at + one] - without.data[at + one]), 0);
          if (change < 24) continue;
          const ground = (without.data[at] << 16) | (without.data[at + 1] << 8) | without.data[at + 2];
          grounds.set(ground, (grounds.get(ground) ?? 0) + 1);
          count++;
        }
      }
    }
    if (!count && alpha > 0.05) continue;
    const ratios = [...grounds].map(([ground, times]) => {
      const under = [ground >> 16, (ground >> 8) & 255, ground & 255];
      return { times, ratio: contrast(ink.map((one, at) => alpha * one + (1 - alpha) * under[at]), under) };
    });
    // A line across a letter does not make it hard to read.
    let worst = 0;
    for (const { times, ratio } of ratios.sort((a, b) => a.ratio - b.ratio)) {
      worst += times;
      if (worst <= count * 0.1) continue;
      if (ratio < least - 0.005) faults.push(`"${words}" ${ratio.toFixed(2)} of ${least}`);
      break;
    }
  }
  return faults;
}

/** Elements with animations or transitions. */
function motionFaults() {
  const faults = document.getAnimations().map((one) => `${one.animationName ?? one.transitionProperty ?? "script"} of ${nameOf(one.effect.target)}`);
  const isLong = (times) => times.split(",").some((time) => parseFloat(time) > 0.01);
  for (const one of document.querySelectorAll("body *")) {
    for (const part of ["", "::before", "::after"]) {
      const style = getComputedStyle(one, part || null);
      if (style.animationName !== "none" && isLong(style.animationDuration)) faults.push(`${style.animationName} of ${nameOf(one)}${part}`);
      if (style.transitionProperty !== "none" && isLong(style.transitionDuration)) faults.push(`transition of ${style.transitionProperty} of ${nameOf(one)}${part}`);
    }
  }
  return [...new Set(faults)];
}

// The keyboard. The focused elements are stored in the page between calls.

/** Starts to record the focused elements, from the start of the page on. */
function noteFocus() {
  document.activeElement?.blur();
  window.auditFocused = new Set();
  document.addEventListener("focusin", (event) => window.auditFocused.add(event.target));
}

const focusCount = () => window.auditFocused.size;

const unfocused = () => targets().map((one) => (one.localName === "label" ? one.querySelector("input") : one))
  .filter((one) => !isOff(one) && !window.auditFocused.has(one));

/** Enters the next group with arrow-key navigation, as Tab does; false if all are done. */
function enterGroup() {
  window.auditEntered ??= new Set();
  for (const one of unfocused()) {
    const group = one.closest("[role=group], [role=radiogroup], [role=grid], [role=listbox], [role=toolbar], [role=tablist], ul, ol");
    const door = [...(group?.querySelectorAll(operated) ?? [])].find((member) => window.auditFocused.has(member));
    if (!door || window.auditEntered.has(group)) continue;
    window.auditEntered.add(group);
    door.focus();
    return true;
  }
  return false;
}

/** Controls that never had the focus. */
const keyboardFaults = () => unfocused().map(nameOf);
