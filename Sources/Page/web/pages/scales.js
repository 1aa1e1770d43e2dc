// User scales: their notes are selected with twelve buttons, and saved under a name.

import { send, sendTogether } from "../link/socket.js";
import { setUpControls } from "../parts/controls.js";
import { make, makeButton } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { pitchClass, printed } from "../store/units.js";
import { latest, value, watch } from "../store/values.js";

const degrees = ["1", "\u266d2", "2", "\u266d3", "3", "4", "\u266d5", "5", "\u266d6", "6", "\u266d7", "7"];
const sharps = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
const flats = ["C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"];

/** Fills the window. */
export function setUpScales(sheet) {
  // The steps above the root that are chosen; the root always is.
  let chosen = new Set([0]);
  const fields = degrees.map((degree, step) => makeButton("chip", { "data-step": step }, () => toggle(step), make("b"), make("small", "", {}, degree)));
  const list = make("div", "chips own-scales", { role: "group", "aria-label": "Saved scales" });
  const input = make("input", "field", { id: "scale-name", maxlength: 40, placeholder: "Name", "aria-label": "Name of the scale", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const remove = makeButton("tool", { id: "scale-delete" }, () => deleteScale(nameIn(input)), "Delete");
  const form = make("form", "line", { id: "scale-form" }, input, make("button", "tool main", {}, "Save"), remove);
  sheet.append(setUpControls(make("div", "sheet-body", {},
    make("p", "quiet", {}, "Tap the notes of the scale. The first one is the root."),
    make("div", "degrees", { role: "group", "aria-label": "Notes of the scale" }, ...fields), form, list)));

  const draw = () => {
    const root = value("/grid/root", "A");
    const names = root === "F" || /.b$/.test(root) ? flats : sharps;
    for (const [step, field] of fields.entries()) {
      const name = names[(pitchClass(root) + step) % 12];
      field.firstChild.textContent = printed(name);
      field.setAttribute("aria-label", `${name.replace("#", " sharp").replace(/(?<=.)b$/, " flat")}, degree ${degrees[step]}`);
      field.setAttribute("aria-pressed", String(chosen.has(step)));
    }
    fields[0].disabled = true;
  };
  const toggle = (step) => {
    if (!chosen.delete(step)) chosen.add(step);
    draw();
  };
  const mark = () => {
    for (const chip of list.children) chip.setAttribute("aria-pressed", String(chip.textContent === value("/grid/scale")));
    remove.disabled = !ownScales().some(({ name }) => name === nameIn(input));
  };
  const show = ({ name, steps }) => {
    chosen = new Set([0, ...steps]);
    input.value = name;
    draw();
    mark();
  };
  watch("/grid/root", draw);
  watch("/scale/user", () => {
    list.replaceChildren(...ownScales().map((scale) => makeButton("chip", {}, () => {
      show(scale);
      send("/grid/scale", scale.name);
    }, scale.name)));
    mark();
  });
  watch("/grid/scale", mark);
  input.addEventListener("input", mark);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const name = nameIn(input);
    if (!name) {
      notify("A scale needs a name", "fault");
      return input.focus();
    }
    // The node would refuse it, and select the built-in one.
    if (latest("/scales")?.includes(name) && !ownScales().some((own) => own.name === name)) {
      notify(`${name} is a built-in scale: choose another name`, "fault");
      return input.focus();
    }
    sendTogether([["/scale/user", name, ...sorted(chosen)], ["/grid/scale", name]]);
    input.blur();
  });
  draw();
  mark();
}

const sorted = (steps) => [...steps].sort((one, other) => one - other);

// A name has no spaces.
const nameIn = (input) => input.value.trim().replace(/\s+/g, "-");

// The node writes each as name:0,3,7, or name/19:0,6,11 in a tuning with 19 notes.
const ownScales = () => (latest("/scale/user") ?? []).filter(Boolean).map((text) => {
  const [name, steps] = text.split(":");
  return { name: name.split("/")[0], steps: steps.split(",").map(Number) };
});

function deleteScale(name) {
  const scale = ownScales().find((one) => one.name === name);
  const isInUse = value("/grid/scale") === name;
  send("/scale/delete", name);
  const back = [["/scale/user", name, ...scale.steps], ...(isInUse ? [["/grid/scale", name]] : [])];
  notify(`Scale ${name} deleted`, "info", ["Undo", () => sendTogether(back)]);
}
