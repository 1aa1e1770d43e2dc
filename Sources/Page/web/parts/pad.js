// An XY pad: two values, dragged from their current position.

import { nextFrame } from "../store/clock.js";
import { set, shown } from "../store/pending.js";
import { fact, onTable } from "../store/table.js";
import { initial, place, valueAt } from "../store/units.js";
import { watch } from "../store/values.js";
import { make } from "./make.js";

const slack = 4;
const doubleTap = 400;

/** Makes a pad of an element with data-across and data-up. Keyboards and screen readers use the faders next to it. */
export function pad(element) {
  const addresses = [element.dataset.across, element.dataset.up];
  const dot = make("span", "pad-dot");
  element.append(make("span", "pad-name across", {}, "pitch"), make("span", "pad-name up", {}, "formant"), dot);
  let own;

  const values = () => own ?? addresses.map(shown);
  const places = () => values().map((value, at) => place(value, fact(addresses[at])));
  const draw = () => {
    const [x, y] = places();
    dot.style.transform = `translate(${x * 100}%, ${-y * 100}%)`;
  };
  const show = () => nextFrame(draw);
  for (const address of addresses) watch(address, show);
  onTable(show);

  const change = (to) => {
    for (const [at, address] of addresses.entries()) if (to[at] !== values()[at]) set(address, to[at], show);
    show();
  };
  let finger;
  let tapped = -doubleTap;
  element.addEventListener("pointerdown", (event) => {
    if (event.button || finger || fact(addresses[0]).min === undefined) return;
    element.setPointerCapture(event.pointerId);
    finger = { id: event.pointerId, x: event.clientX, y: event.clientY, at: undefined };
  });
  element.addEventListener("pointermove", (event) => {
    if (event.pointerId !== finger?.id) return;
    const [x, y] = [event.clientX - finger.x, event.clientY - finger.y];
    if (!finger.at && Math.hypot(x, y) < slack) return;
    finger.at ??= places();
    own ??= addresses.map(shown);
    [finger.x, finger.y] = [event.clientX, event.clientY];
    finger.at = [finger.at[0] + x / element.clientWidth, finger.at[1] - y / element.clientHeight].map((part) => Math.min(1, Math.max(0, part)));
    const to = finger.at.map((part, at) => valueAt(part, fact(addresses[at]), event.shiftKey));
    change(to);
    own = to;
    element.classList.add("held");
  });
  const lift = (event) => {
    if (event.pointerId !== finger?.id) return;
    const still = !finger.at && event.type === "pointerup";
    finger = undefined;
    own = undefined;
    element.classList.remove("held");
    show();
    if (!still) return;
    if (event.timeStamp - tapped < doubleTap) change(addresses.map((address) => initial(fact(address))));
    tapped = event.timeStamp;
  };
  element.addEventListener("pointerup", lift);
  element.addEventListener("pointercancel", lift);
}
