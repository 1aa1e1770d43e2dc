// A fader, dragged relative to its position, so that a brush changes nothing.

import { nextFrame } from "../store/clock.js";
import { set, shown } from "../store/pending.js";
import { fact, onTable } from "../store/table.js";
import { figure, initial, isAroundZero, place, spoken, stepped, valueAt } from "../store/units.js";
import { watch } from "../store/values.js";
import { make } from "./make.js";

const slack = 4;
const doubleTap = 400;
const finger = 10;

/** Makes a fader of an element with its name and a data-address; data-least is the text at its minimum. */
export function fader(element) {
  const { address, least } = element.dataset;
  const name = make("span", "fader-name", {}, ...element.childNodes);
  const output = make("span", "fader-figure", { "aria-hidden": "true" });
  const input = make("input", "", { type: "range", min: 0, max: 1000, step: 1, disabled: true });
  const fill = make("span", "fader-fill");
  const edge = make("span", "fader-edge");
  const centre = make("span", "fader-centre");
  input.setAttribute("aria-label", element.dataset.label ?? name.textContent.trim());
  element.append(fill, centre, edge, name, output, input);

  let facts = {};
  let own;

  const draw = () => {
    const value = own ?? shown(address);
    const at = Math.min(1, Math.max(0, place(value, facts)));
    const zero = isAroundZero(facts) ? place(0, facts) : 0;
    fill.style.transform = `translateX(${Math.min(at, zero) * 100}%) scaleX(${Math.abs(at - zero)})`;
    edge.style.transform = `translateX(${at * 100}%)`;
    output.textContent = value === undefined ? "" : words(value);
    input.value = Math.round(at * 1000);
    input.setAttribute("aria-valuetext", spoken(words(value)));
  };
  const words = (value) => (least && value === facts.min ? least : figure(value, facts));
  const show = () => nextFrame(draw);

  onTable(() => {
    facts = fact(address);
    input.disabled = facts.min === undefined;
    if (facts.help) element.title = facts.help;
    element.classList.toggle("from-centre", isAroundZero(facts));
    show();
  });
  watch(address, show);

  const change = (value) => {
    if (value === shown(address)) return;
    set(address, value, show);
    show();
  };

  input.addEventListener("input", () => change(valueAt(input.value / 1000, facts)));
  input.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (steps) change(stepped(shown(address), event.shiftKey ? steps / 10 : steps, facts));
    else if (event.key === "Delete" || event.key === "Backspace") reset();
    else return;
    event.preventDefault();
  });
  const reset = () => initial(facts) !== undefined && change(initial(facts));

  const fingers = new Map();
  let startedAt = 0;
  let lead;

  element.addEventListener("pointerdown", (event) => {
    if (event.button || input.disabled) return;
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size > 1) return;
    element.setPointerCapture(event.pointerId);
    lead = { id: event.pointerId, x: event.clientX, from: event.clientX, top: event.clientY, moved: false, at: undefined };
    startedAt = event.timeStamp;
  });
  element.addEventListener("pointermove", (event) => {
    if (event.pointerId !== lead?.id) return;
    // A mostly vertical movement scrolls the page.
    const across = Math.abs(event.clientX - lead.from);
    if (!lead.moved && (across < slack || across < Math.abs(event.clientY - lead.top))) return;
    if (!lead.moved) {
      lead.moved = true;
      lead.at = place(shown(address), facts);
      element.classList.add("held");
      own = shown(address);
    }
    const fine = fingers.size > 1 || event.shiftKey;
    const way = (event.clientX - lead.x) / element.clientWidth;
    lead.x = event.clientX;
    lead.at = Math.min(1, Math.max(0, lead.at + (fine ? way / 10 : way)));
    const value = valueAt(lead.at, facts, fine);
    if (value === own) return;
    own = value;
    set(address, value, show);
    show();
  });
  let tapped = -doubleTap;
  const lift = (event) => {
    fingers.delete(event.pointerId);
    if (event.pointerId !== lead?.id) return;
    const still = !lead.moved && event.type === "pointerup" && Math.abs(event.clientX - lead.from) < finger;
    if (lead.moved) {
      own = undefined;
      element.classList.remove("held");
      show();
    }
    lead = undefined;
    if (!still) return;
    if (startedAt - tapped < doubleTap) reset();
    tapped = startedAt;
    input.focus({ focusVisible: false, preventScroll: true });
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", lift);
}
