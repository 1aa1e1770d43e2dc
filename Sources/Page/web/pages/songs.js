// The songs, and the one that plays.

import { send } from "../link/socket.js";
import { find, icon, make } from "../parts/make.js";
import { nextFrame } from "../store/clock.js";
import { hear, told, watch } from "../store/values.js";
import { time } from "../store/units.js";

let songs = [];

/** Sets up the song list and its buttons. */
export function setUpSongs() {
  const list = find("#song-list");
  const draw = () => {
    const [state, number] = told("/music/state") ?? [];
    const focused = [...list.children].indexOf(document.activeElement?.closest("#song-list li"));
    list.replaceChildren(...songs.map((name, at) => {
      const is = at + 1 === number && state !== "stopped";
      const button = make("button", "song", { type: "button", "aria-current": is ? "true" : undefined }, icon(is ? "playing" : "play"), make("span", "", {}, name));
      button.addEventListener("click", () => send("/music/play", at + 1));
      return make("li", "", {}, button);
    }));
    if (focused >= 0) find("button", list.children[focused] ?? list)?.focus();
    find("#song-empty").hidden = songs.length > 0;
  };

  // A packet holds about a hundred songs: more are queried until the reply is empty.
  hear("/music", (...names) => {
    songs = asked === 1 ? names : [...songs, ...names];
    if (names.length) {
      asked = songs.length + 1;
      send("/music", asked);
    }
    nextFrame(draw);
  });
  hear("/error", (address, code, words) => {
    if (address === "/music") find("#song-empty").textContent = words[0].toUpperCase() + words.slice(1) + ".";
  });
  let lastNumber;
  watch("/music/state", (state, number, title, artist, position, length) => {
    const runs = state !== "stopped";
    find("#song-title").textContent = runs ? [artist, title].filter(Boolean).join(" \u2013 ") || `Song ${number}` : "No song plays";
    find("#song-time").textContent = state === "waiting" ? "waiting for the disk" : runs ? `${time(position)} of ${time(length)}` : "";
    find("#song-run").style.transform = `scaleX(${runs && length ? Math.min(1, position / length) : 0})`;
    const play = find("#song-play");
    find("use", play).setAttribute("href", runs ? "#i-stop" : "#i-play");
    play.setAttribute("aria-label", runs ? "Stop song" : "Play songs");
    if (lastNumber !== (runs ? number : 0)) nextFrame(draw);
    lastNumber = runs ? number : 0;
  });
  find("#song-play").addEventListener("click", () => send(told("/music/state")?.[0] === "stopped" ? "/music/play" : "/music/stop"));
  find("#song-refresh").addEventListener("click", askForSongs);
}

let asked = 1;

/** Queries the songs again. */
export function askForSongs() {
  asked = 1;
  send("/music", 1);
}
