// The permanent parts: mute, levels, beat, tempo, connection and tabs.

import { onLink } from "../link/socket.js";
import { closeSheet } from "../parts/sheet.js";
import { find } from "../parts/make.js";
import { set, shown } from "../store/pending.js";
import { hear, watch } from "../store/values.js";

const pages = ["voice", "loop", "grid", "takes", "feed", "rig"];

/** Sets up mute, the connection's state and the tabs; calls came(page) for each page shown. */
export function setUpStage(came) {
  setUpMute();
  setUpLinkState();
  watch("/metronome/bpm", (bpm) => (find("#tempo").textContent = String(Number(bpm.toFixed(1)))));

  const turn = () => {
    const asked = location.hash.slice(1);
    if (asked.includes("=")) return;
    const page = pages.includes(asked) ? asked : keptPage();
    closeSheet();
    document.body.dataset.page = page;
    for (const name of pages) find("#" + name).hidden = name !== page;
    for (const tab of document.querySelectorAll(".tabs a")) {
      if (tab.hash === "#" + page) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    document.title = `Syrinx \u2013 ${page[0].toUpperCase()}${page.slice(1)}`;
    try {
      localStorage.setItem("syrinx.page", page);
    } catch {
      // Without storage the page starts with the voice.
    }
    came(page);
  };
  addEventListener("hashchange", turn);
  turn();
}

function keptPage() {
  try {
    const kept = localStorage.getItem("syrinx.page");
    return pages.includes(kept) ? kept : "voice";
  } catch {
    return "voice";
  }
}

/** Toggles mute. */
export function toggleMute() {
  set("/mute", shown("/mute") === 1 ? 0 : 1, drawMute);
  drawMute();
}

function drawMute() {
  const muted = shown("/mute") === 1;
  const button = find("#mute");
  button.setAttribute("aria-checked", String(muted));
  find("use", button).setAttribute("href", muted ? "#i-muted" : "#i-sound");
  find("span", button).textContent = muted ? "Muted" : "Mute";
}

function setUpMute() {
  find("#mute").addEventListener("click", toggleMute);
  watch("/mute", drawMute);
}

function setUpLinkState() {
  const words = { connecting: "connecting", open: "", lost: "reconnecting", refused: "not paired" };
  const line = find("#link");
  let name = "Syrinx";
  let state = "connecting";
  const draw = () => (line.textContent = words[state] || name);
  onLink((to) => {
    state = to;
    document.body.dataset.link = to;
    find("#pair").hidden = to !== "refused";
    find("#app").inert = to === "refused";
    draw();
  });
  hear("/pong", (_, told) => {
    if (told === name) return;
    name = told;
    draw();
  });
}
