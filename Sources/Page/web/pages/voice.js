// The effects: presets, and each effect with a small picture.

import { send } from "../link/socket.js";
import { subscribeTo } from "../link/subscription.js";
import { closeSheet } from "../parts/sheet.js";
import { onSubmit } from "../parts/field.js";
import { find, makeButton, onVisible } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { arrowsIn, setRows, typesIn } from "../parts/rows.js";
import { nextFrame } from "../store/clock.js";
import { figure } from "../store/units.js";
import { latest, onReply, value, watch } from "../store/values.js";
import { setUpHarmony } from "./harmony.js";
import { setUpTune } from "./tune.js";

/** Sets up the voice page. */
export function setUpVoice() {
  setUpPresets();
  setUpChannel();
  setUpTune();
  setUpHarmony();
  setUpUnits();
  setUpEchoPicture(find("#echo-picture path"));
  setUpReverbPicture(find("#reverb-picture path"));
}

function setUpPresets() {
  const list = find("#preset-list");
  const current = find("#preset-name");
  const remove = find("#preset-delete");
  const mark = () => {
    const name = value("/preset", "");
    current.textContent = name || "none";
    const canRemove = (latest("/presets/own") ?? []).includes(name);
    // A disabled button would lose the focus.
    if (!canRemove && document.activeElement === remove) find("#preset-list button")?.focus();
    remove.disabled = !canRemove;
    for (const chip of list.children) {
      const is = chip.textContent === name;
      if (is && chip.getAttribute("aria-pressed") === "false") chip.scrollIntoView({ block: "nearest" });
      chip.setAttribute("aria-pressed", String(is));
    }
  };
  watch("/presets", (...names) => {
    setRows(list, names.map((name) => makeButton("chip", { "aria-pressed": "false", "data-id": name }, () => {
      send("/preset", name);
      closeSheet();
    }, name)), find("#preset-new"));
    mark();
  });
  arrowsIn(list, "button");
  typesIn(list);
  watch("/presets/own", mark);
  watch("/preset", mark);

  onSubmit(find("#preset-form"), find("#preset-new"), (text) => {
    const name = text || value("/preset");
    return name && send("/preset/save", name);
  });
  remove.addEventListener("click", () => send("/preset/delete", value("/preset", "")));
  onReply("/preset/save", (name) => notify(`Saved as ${name}`, "done"));
  onReply("/preset/delete", (name) => notify(`${name} deleted`, "done"));
}

// Whether the gate is open, and the gain of the compressor.
function setUpChannel() {
  const gains = find("#channel-gains");
  const show = () => {
    const [gate, level] = latest("/channel") ?? [0, 0];
    const words = [];
    if (value("/gate/on", 0)) words.push(gate > -1 ? "open" : "closed");
    if (value("/level/on", 0)) words.push(figure(level, { unit: "dB" }));
    gains.textContent = words.join(", ");
  };
  for (const part of ["/channel", "/gate/on", "/level/on"]) watch(part, () => nextFrame(show));
  onVisible(find("#channel"), (is) => subscribeTo("/channel", is));
}

// An effect that is off is dimmed; on a phone, its details are folded.
function setUpUnits() {
  for (const unit of document.querySelectorAll("[data-unit]")) {
    watch(unit.dataset.unit, (on) => unit.classList.toggle("off", on === 0));
    const more = find(".more", unit);
    more?.addEventListener("click", () => more.setAttribute("aria-expanded", String(unit.classList.toggle("open"))));
  }
  watch("/chain/bypass", (on) => find("#voice").classList.toggle("bypassed", on === 1));
}

const seconds = 4;
const middle = 25;
const stroke = (x, high) => `M${x.toFixed(1)} ${(middle - high * 22).toFixed(1)}V${(middle + high * 22).toFixed(1)}`;

// Four seconds of a sound and its echoes, as high as their levels.
function setUpEchoPicture(path) {
  const draw = () => {
    const beats = value("/echo/beats", 0);
    const apart = Math.max(0.03, beats ? (beats * 60) / value("/metronome/bpm", 120) : value("/echo/time", 0.35));
    const feedback = Math.min(1, value("/echo/feedback", 0.4));
    const strokes = [stroke(3, 1)];
    for (let n = 1, high = Math.min(1, value("/echo/mix", 0.35) * 2); n * apart < seconds && high > 0.01; n++, high *= feedback) {
      strokes.push(stroke(3 + (n * apart * 194) / seconds, high));
    }
    path.setAttribute("d", strokes.join(""));
  };
  for (const part of ["/echo/time", "/echo/beats", "/echo/feedback", "/echo/mix", "/metronome/bpm"]) watch(part, () => nextFrame(draw));
}

// Four seconds of a sound and its tail, 60 dB from the middle to the edge.
function setUpReverbPicture(path) {
  const draw = () => {
    const decay = value("/reverb/decay", 2);
    const predelay = value("/reverb/predelay", 0.01);
    const mix = Math.min(1, value("/reverb/mix", 0.3) * 2);
    const strokes = [stroke(3, 1)];
    for (let at = 1; at < 40; at++) {
      const moment = (at * seconds) / 40;
      const left = 1 - Math.max(0, moment - predelay) / decay;
      // Reflections are uneven: a fixed pattern keeps the picture still.
      const wobble = 0.6 + 0.4 * ((at * 0.618034) % 1);
      if (moment >= predelay && left > 0) strokes.push(stroke(3 + at * 4.85, left * mix * wobble));
    }
    path.setAttribute("d", strokes.join(""));
  };
  for (const part of ["/reverb/decay", "/reverb/predelay", "/reverb/mix"]) watch(part, () => nextFrame(draw));
}
