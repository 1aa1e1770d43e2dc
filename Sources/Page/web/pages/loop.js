// The loop: its waveform, its states and what comes next, and all that can be pressed.

import { send, sendTogether } from "../link/socket.js";
import { find, icon, make } from "../parts/make.js";
import { say } from "../parts/notice.js";
import { setUpWave } from "../parts/wave.js";
import { nextFrame } from "../store/clock.js";
import { hear, told, watch } from "../store/values.js";
import { time } from "../store/units.js";

const longest = 10;

/** What each state shows: its word, its icon, and the button that it lights. */
const looks = {
  empty: ["Empty", "plus", ""],
  recording: ["Rec", "record", "record"],
  overdubbing: ["Over", "overdub", "overdub"],
  replacing: ["Replace", "replace", "replace"],
  playing: ["Play", "play", "play"],
  paused: ["Pause", "pause", "pause"],
  stopped: ["Stop", "stop", "stop"],
};

const loop = { state: "empty", position: 0, length: 0, layers: 0, waits: "" };
const running = ["playing", "overdubbing", "replacing"];

/** What can be pressed now, told by the node or, where it does not say, by the state. */
const can = {
  record: () => told("/player/controls")?.[0] === 1,
  play: () => told("/player/controls")?.[1] === 1 || loop.state === "recording",
  stop: () => told("/player/controls")?.[2] === 1 || loop.state === "recording",
  overdub: () => loop.state === "recording" || running.includes(loop.state),
  replace: () => loop.state === "recording" || running.includes(loop.state),
  pause: () => loop.state === "recording" || loop.state === "paused" || running.includes(loop.state),
  undo: () => told("/loop/history")?.[0] > 0,
  redo: () => told("/loop/history")?.[1] > 0,
  keep: () => loop.length > 0 && loop.state !== "recording",
  clear: () => loop.length > 0,
  cancel: () => loop.waits !== "" || Boolean(told("/player/next")?.[0]),
  rewind: () => told("/player/controls")?.[3] === 1,
  forward: () => told("/player/controls")?.[4] === 1,
  done: () => told("/player/controls")?.[5] === 1,
};

/** What each button does. */
export const press = {
  record: () => send("/player/record"),
  // Both at once go over from recording to playing without a gap.
  play: () => (loop.state === "recording" ? sendTogether([["/player/stop"], ["/player/play"]]) : send("/player/play")),
  stop: () => send("/player/stop"),
  overdub: () => send("/loop/overdub"),
  replace: () => send("/loop/replace"),
  pause: () => send("/player/pause"),
  undo: () => send("/loop/undo"),
  redo: () => send("/loop/redo"),
  clear: () => {
    send("/loop/clear");
    say("Loop cleared", "said", ["Undo", () => send("/loop/undo")]);
  },
  keep: () => send("/take/save", ""),
  cancel: () => send("/loop/cancel"),
  rewind: () => send("/player/rewind"),
  forward: () => send("/player/forward"),
  done: () => send("/player/done"),
};

/** Sets up the page of the loop, and its buttons wherever they stand. */
export function setUpLoop() {
  const buttons = [...document.querySelectorAll("[data-loop]")];
  for (const button of buttons) {
    const what = button.dataset.loop;
    button.replaceChildren(make("i", "run"), icon(what), make("span", "", {}, button.textContent));
    button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || press[what]());
  }
  const wave = setUpWave(find("#wave"), loop);
  const panel = find("#loop-face");
  const [word, clock, layers, next] = ["#loop-word", "#loop-time", "#loop-layers", "#loop-next"].map((id) => find(id));
  const face = find("#loop-icon use");

  const draw = () => {
    const { state, position, length, waits } = loop;
    const [name, sign, lit] = looks[state] ?? looks.empty;
    panel.dataset.state = state;
    panel.dataset.waits = waits;
    // Readers would say it again with each message.
    if (word.textContent !== name) word.textContent = name;
    face.setAttribute("href", "#i-" + sign);
    clock.textContent = state === "recording" ? time(length || position) : length ? `${time(position)} of ${time(length)}` : "up to 10 s";
    layers.textContent = loop.layers ? `${loop.layers} ${loop.layers === 1 ? "layer" : "layers"}` : "";
    const coming = waits && looks[waits];
    const [, seconds = -1] = told("/player/next") ?? [];
    const beats = (seconds * (told("/metronome/bpm")?.[0] ?? 120)) / 60;
    next.textContent = coming ? `\u2192 ${coming[0]}${seconds >= 0 ? " in " + Math.ceil(beats) : ", waiting for sound"}` : "";
    for (const button of buttons) {
      const what = button.dataset.loop;
      const enabled = can[what]();
      button.setAttribute("aria-disabled", String(!enabled));
      if (["record", "overdub", "replace", "play", "pause", "stop"].includes(what)) button.setAttribute("aria-pressed", String(what === lit));
      button.classList.toggle("will", Boolean(coming) && coming[2] === what);
      const part = what !== lit ? 0 : state === "recording" ? (length || position) / longest : what === "stop" || what === "pause" ? 0 : position / (length || 1);
      button.style.setProperty("--run", Math.min(1, part));
    }
    wave.show();
  };
  const show = () => nextFrame(draw);

  hear("/loop/state", (state, position, length, layers, waits) => {
    Object.assign(loop, { state, position, length, layers, waits });
    wave.moved();
    show();
  });
  for (const address of ["/player/controls", "/player/next", "/loop/history"]) watch(address, show);
  hear("/player/next", show);

  hear("/reply", (address, id, title) => {
    if (address === "/take/save") say(`Kept as a take: ${title}`, "done");
  });
}
