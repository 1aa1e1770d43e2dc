// The settings of a loop: recording, playback, keeping and pedal; and saved sets of all loops.

import { send } from "../link/socket.js";
import { list, sender, setUpControls, slide, toggle, words } from "../parts/controls.js";
import { onSubmit } from "../parts/field.js";
import { holdSwitch } from "../parts/hold.js";
import { find, make, makeButton } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { watchChosenSlot, watchSlotCount } from "../store/loops.js";
import { foundTakes, watchTakes } from "../store/takes.js";
import { collect, onReply, watch } from "../store/values.js";
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

const card = (title, of, ...parts) => setUpControls(make("section", "card", { "aria-label": of ? `${title}, loop ${of}` : title }, make("h2", "", {}, title), ...parts));
const pair = (...parts) => make("div", "pair", {}, ...parts);

function panel(number) {
  const of = (part) => `/loop/${number}/${part}`;
  const name = (words) => `${words} of loop ${number}`;
  const group = (caption, part, label, captions) => words(of(part), caption, name(label), { "data-words": captions });
  const fader = (caption, part, label, least) => slide(of(part), caption, name(label), { "data-least": least });
  return [
    card("Recording", number,
      group("From", "source", "Source"),
      group("Start", "quantize", "Quantize", "off=at\u00a0once beat bar loop"),
      group("Then", "after", "After recording"),
      fader("Wait for", "threshold", "Threshold", "any level"),
      fader("Length", "beats", "Length", "open"),
      slide("/loop/lateness", "Late press", "How late a press may be", { "data-least": "waits" })),
    card("Playing", number,
      fader("Feedback", "feedback", "Feedback"),
      fader("Pan", "pan", "Pan"),
      group("Runs", "direction", "Direction", "-1=backwards 1=forwards"),
      group("Through", "route", "Route"),
      group("Stops", "stopAt", "Stop", "now=at\u00a0once beat bar end"),
      pair(toggle(of("loop"), "Repeat"), toggle(of("solo"), "Solo")),
      pair(toggle("/loop/tempo", "Sets tempo"), sender("/loop/next", "Record next loop"))),
    card("Pitch and speed", number,
      group(undefined, "engine", "Engine"),
      group("Tempo", "follow", "Tempo", "off=own tempo=follows lock=locked"),
      fader("Pitch", "semitones", "Pitch"),
      fader("Speed", "rate", "Speed"),
      fader("Tape speed", "speed", "Tape speed"),
      pair(halfSpeed(of("rate")), sender(of("rate"), "Full speed", 1)),
      pair(list(of("pedal/long"), "Pedal held", name("Pedal held")), list(of("pedal/double"), "Pedal twice", name("Pedal twice")))),
    card("Keep", number,
      amountsRow("Last bars", of("keep"), `into loop ${number}`, [1, 2, 4, 8]),
      amountsRow("Last seconds", of("keepSeconds"), `into loop ${number}`, [5, 10, 30, 60]),
      takesRow(number, of)),
    card("Fade and move", number,
      ...fadeRows(of("fadeBars"), `loop ${number}`),
      pair(otherLoop("Copy to", of("copy"), number), otherLoop("Swap with", of("swap"), number))),
  ];
}

function halfSpeed(address) {
  const button = sender(address, "Half speed", 0.5, { "aria-pressed": "false" });
  watch(address, (rate) => button.setAttribute("aria-pressed", String(Math.abs(rate - 0.5) < 0.001)));
  return button;
}

// Buttons that send an amount, or its negative, to an address; which says what they are for.
function amountsRow(caption, address, which, amounts, sign = 1) {
  const buttons = amounts.map((amount) =>
    make("button", "", { type: "button", "data-press": address, "data-value": sign * amount, "aria-label": `${caption}: ${amount}, ${which}` }, String(amount)));
  return make("div", "choice keeps", { role: "group", "aria-label": `${caption}, ${which}`, "data-caption": caption }, ...buttons);
}

const fadeRows = (address, which) => [
  amountsRow("Fade in, bars", address, which, [1, 2, 4, 8]),
  amountsRow("Fade out, bars", address, which, [1, 2, 4, 8], -1),
];

function otherLoop(caption, address, number) {
  const select = make("select", "", { "aria-label": `${caption} another loop, loop ${number}`, "data-caption": "" });
  watchSlotCount((count) => {
    const others = Array.from({ length: count }, (_, at) => at + 1).filter((other) => other !== number);
    select.replaceChildren(make("option", "", { value: "" }, caption), ...others.map((other) => make("option", "", { value: other }, `Loop ${other}`)));
  });
  select.addEventListener("change", () => {
    if (select.value) send(address, Number(select.value));
    select.value = "";
  });
  onReply(address, (other) => notify(caption === "Copy to" ? `Copied to loop ${other}` : `Swapped with loop ${other}`, "done"));
  return select;
}

function takesRow(number, of) {
  const save = sender(of("save"), "Save as take", "", { "data-icon": "keep" });
  const select = make("select", "", { "aria-label": `Take into loop ${number}`, "data-caption": "" });
  const fill = () => select.replaceChildren(make("option", "", { value: "" }, "Load take"),
    ...foundTakes().map(({ id, title, date }) => make("option", "", { value: id }, `${title}, ${when(date)}`)));
  fill();
  watchTakes(fill);
  select.addEventListener("change", () => {
    if (select.value) send(of("load"), select.value);
    select.value = "";
  });
  return pair(save, select);
}

function setsCard() {
  const input = make("input", "field", { id: "loops-name", maxlength: 48, placeholder: "Name", "aria-label": "Name of the loop set", autocomplete: "off" });
  const form = make("form", "line", { id: "loops-form" }, input, make("button", "tool", {}, "Save all"));
  const select = make("select", "", { id: "loops-list", "aria-label": "Loop sets", "data-caption": "All loops" });
  const load = makeButton("tool", { id: "loops-load", "data-icon": "loop" }, () => select.value && send("/loops/load", select.value), "Load");
  const fill = (...names) => {
    const was = select.value;
    select.replaceChildren(...(names.length ? names : ["No sets yet"]).map((name) => make("option", "", { value: names.length ? name : "" }, name)));
    if (names.includes(was)) select.value = was;
    load.disabled = !names.length;
  };
  fill();
  collect("/loops/set", "/loops/end", (rows) => fill(...rows.flat()));
  onSubmit(form, input, (name) => name && send("/loops/save", name));
  onReply("/loops/save", (name, former) => {
    notify(`All loops saved as ${name}` + (former ? `; the former set is ${former}` : ""), "done");
    send("/loops");
  });
  onReply("/loops/load", (name) => notify(`${name} loaded`, "done"));
  return card("All loops", 0, holdSwitch("/lock", ["Lock all recordings", "Locked: hold to unlock"]), form, make("div", "line", {}, select, load),
    ...fadeRows("/loops/fadeBars", "all loops"));
}
