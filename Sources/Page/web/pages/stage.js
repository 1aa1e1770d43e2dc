// The permanent parts: mute, levels, beat, tempo, connection and tabs.

import { onLink, sendTogether } from "../link/socket.js";
import { closeSheet } from "../parts/sheet.js";
import { find } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { keep, kept } from "../store/kept.js";
import { bind, shown } from "../store/pending.js";
import { capital } from "../store/units.js";
import { listen, value, watch } from "../store/values.js";

const key = "syrinx.page";

/** The pages, in the order of their tabs. */
export const pages = ["play", "voice", "loop", "grid", "takes", "feed", "rig"];

/** Sets up mute, the connection's state and the tabs; calls opened(page) for each page shown. */
export function setUpStage(opened) {
  find("#mute").addEventListener("click", toggleMute);
  find("#stop-all").addEventListener("click", stopAll);
  setUpLinkState();
  watch("/metronome/bpm", (bpm) => (find("#tempo").textContent = String(Number(bpm.toFixed(1)))));

  const turn = () => {
    const wanted = location.hash.slice(1);
    if (wanted.includes("=")) return;
    const page = [wanted, kept(key)].find((name) => pages.includes(name)) ?? pages[0];
    closeSheet();
    document.body.dataset.page = page;
    for (const name of pages) find("#" + name).hidden = name !== page;
    for (const tab of document.querySelectorAll(".tabs a")) {
      if (tab.hash === "#" + page) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    const name = capital(page);
    find("#heading").textContent = name;
    document.title = `Syrinx \u2013 ${name}`;
    keep(key, page);
    opened(page);
  };
  addEventListener("hashchange", turn);
  turn();
}

/** Stops all loops, the take or post that plays, and the takes that play in this browser. */
export function stopAll() {
  sendTogether([["/loop/*/stop"], ["/take/stop"], ["/feed/stop"]]);
  for (const one of document.querySelectorAll("audio")) one.pause();
}

/** Toggles mute. */
export const toggleMute = () => setMute(shown("/mute") === 1 ? 0 : 1);

const setMute = bind(find("#mute"), "/mute", () => {
  const muted = shown("/mute") === 1;
  const button = find("#mute");
  button.setAttribute("aria-checked", String(muted));
  find("use", button).setAttribute("href", muted ? "#i-muted" : "#i-sound");
  find("span", button).textContent = muted ? "Muted" : "Mute";
});

function setUpLinkState() {
  const words = { connecting: "connecting", open: "", lost: "reconnecting", refused: "not paired" };
  const line = find("#link");
  let name = "Syrinx";
  let state = "connecting";
  let isSilent = false;
  const draw = () => (line.textContent = words[state] || (isSilent ? "no sound" : name));
  onLink((to) => {
    state = to;
    document.body.dataset.link = to;
    find("#pair").hidden = to !== "refused";
    find("#app").inert = to === "refused";
    draw();
  });
  watch("/status/server", (server) => {
    if (isSilent === (server === "gone")) return;
    isSilent = !isSilent;
    document.body.dataset.server = server;
    const card = value("/status/card", "");
    notify(isSilent ? `No sound: ${card || "the JACK server"} is gone. Time goes on` : "Sound is back", isSilent ? "fault" : "done");
    draw();
  });
  listen("/pong", (_, reported) => {
    if (reported === name) return;
    name = reported;
    draw();
  });
}
