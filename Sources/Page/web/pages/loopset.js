// The settings of a loop: recording, playback, keeping and pedal; and saved sets of all loops.

import { send } from "../link/socket.js";
import { choice } from "../parts/choice.js";
import { fader } from "../parts/fader.js";
import { flag } from "../parts/flag.js";
import { find, icon, make } from "../parts/make.js";
import { say } from "../parts/notice.js";
import { pick } from "../parts/pick.js";
import { press } from "../parts/press.js";
import { watchChosenSlot } from "../store/loops.js";
import { foundTakes, watchTakes } from "../store/takes.js";
import { hear, watch } from "../store/values.js";
import { when } from "../store/units.js";

const panels = new Map();

/** Sets up the settings of the chosen loop; each loop's are made on first use. */
export function setUpLoopSettings() {
  const home = find("#loop-settings");
  const sets = setsCard();
  watchChosenSlot((number) => {
    if (!panels.has(number)) panels.set(number, panel(number));
    home.replaceChildren(...panels.get(number), sets);
  });
}

const card = (title, of, ...parts) => make("section", "card", { "aria-label": of ? `${title}, loop ${of}` : title }, make("h2", "", {}, title), ...parts);
const pair = (...parts) => make("div", "pair", {}, ...parts);
const tool = (words, sign) => make("button", "tool", { type: "button" }, ...(sign ? [icon(sign)] : []), words);

function panel(number) {
  const of = (part) => `/loop/${number}/${part}`;
  const name = (words) => `${words} of loop ${number}`;
  const words = (caption, part, label, captions) => {
    const group = make("div", "choice", { "data-address": of(part), "aria-label": name(label), "data-words": captions });
    choice(group);
    return caption ? make("div", "labelled", {}, make("small", "", {}, caption), group) : group;
  };
  const slide = (caption, part, label, least) => {
    const element = make("div", "fader", { "data-address": of(part), "data-label": name(label), "data-least": least }, caption);
    fader(element);
    return element;
  };
  const button = (words, part, value) => {
    const one = make("button", "tool", { type: "button", "data-press": of(part), "data-value": value }, words);
    press(one);
    return one;
  };
  const toggle = (words, address) => {
    const one = make("button", "switch tile", { type: "button", "data-address": address }, words);
    flag(one);
    return one;
  };
  const list = (caption, part) => {
    const select = make("select", "", { "data-address": of(part), "aria-label": name(caption) });
    pick(select);
    return make("label", "pick", {}, make("small", "", {}, caption), select);
  };
  return [
    card("Recording", number,
      words("From", "source", "Source"),
      words("Start", "quantize", "Quantize", "off=at\u00a0once beat bar loop"),
      words("Then", "after", "After recording"),
      slide("Wait for", "threshold", "Threshold", "any level"),
      slide("Length", "beats", "Length", "open")),
    card("Playing", number,
      slide("Feedback", "feedback", "Feedback"),
      slide("Pan", "pan", "Pan"),
      words("Runs", "direction", "Direction", "-1=backwards 1=forwards"),
      words("Through", "route", "Route"),
      pair(toggle("Repeat", of("loop")), toggle("Sets tempo", "/loop/tempo"))),
    card("Pitch and speed", number,
      words("", "engine", "Engine"),
      slide("Pitch", "semitones", "Pitch"),
      slide("Speed", "rate", "Speed"),
      pair(halfSpeed(of("rate")), button("Full speed", "rate", 1)),
      pair(list("Pedal held", "pedal/long"), list("Pedal twice", "pedal/double"))),
    card("Keep", number,
      keepRow("Last bars", of("keep"), number, [1, 2, 4, 8]),
      keepRow("Last seconds", of("keepSeconds"), number, [5, 10, 30, 60]),
      takesRow(number, of)),
  ];
}

function halfSpeed(address) {
  const one = make("button", "tool", { type: "button", "data-press": address, "data-value": 0.5, "aria-pressed": "false" }, "Half speed");
  press(one);
  watch(address, (rate) => one.setAttribute("aria-pressed", String(Math.abs(rate - 0.5) < 0.001)));
  return one;
}

function keepRow(caption, address, number, amounts) {
  const row = make("div", "choice keeps", { role: "group", "aria-label": `${caption}, into loop ${number}` });
  for (const amount of amounts) {
    const one = make("button", "", { type: "button", "data-press": address, "data-value": amount, "aria-label": `${caption}: ${amount}, into loop ${number}` }, String(amount));
    press(one);
    row.append(one);
  }
  return make("div", "labelled", {}, make("small", "", {}, caption), row);
}

function takesRow(number, of) {
  const save = tool("Save as take", "keep");
  save.dataset.press = of("save");
  save.addEventListener("click", () => send(of("save"), ""));
  const select = make("select", "", { "aria-label": `Take into loop ${number}` });
  const fill = () => select.replaceChildren(make("option", "", { value: "" }, "Load take"),
    ...foundTakes().map(({ id, title, date }) => make("option", "", { value: id }, `${title}, ${when(date)}`)));
  fill();
  watchTakes(fill);
  select.addEventListener("change", () => {
    if (select.value) send(of("load"), select.value);
    select.value = "";
  });
  return pair(save, make("label", "pick", {}, select));
}

function setsCard() {
  const input = make("input", "field", { id: "loops-name", maxlength: 48, placeholder: "Name", "aria-label": "Name of the loop set", autocomplete: "off" });
  const form = make("form", "line", { id: "loops-form" }, input, make("button", "tool", {}, "Save all"));
  const select = make("select", "", { id: "loops-list", "aria-label": "Loop sets" });
  const load = tool("Load", "loop");
  load.id = "loops-load";
  const fill = (...names) => {
    const was = select.value;
    select.replaceChildren(...(names.length ? names : ["No sets yet"]).map((name) => make("option", "", { value: names.length ? name : "" }, name)));
    if (names.includes(was)) select.value = was;
    load.disabled = !names.length;
  };
  fill();
  let found = [];
  hear("/loops/set", (name) => found.push(name));
  hear("/loops/end", () => {
    fill(...found);
    found = [];
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!input.value.trim()) return input.focus();
    send("/loops/save", input.value.trim());
    input.value = "";
    input.blur();
  });
  load.addEventListener("click", () => select.value && send("/loops/load", select.value));
  hear("/reply", (address, name) => {
    if (address === "/loops/save") say(`All loops saved as ${name}`, "done");
    if (address === "/loops/load") say(`${name} loaded`, "done");
    if (address === "/loops/save") send("/loops");
  });
  return card("Sets", 0, form, make("div", "line", {}, make("label", "pick", {}, make("small", "", {}, "All loops"), select), load));
}
