// The songs, and the one that plays.

import { send } from "../link/socket.js";
import { find, icon, make, makeButton } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { setRows } from "../parts/rows.js";
import { nextFrame } from "../store/clock.js";
import { latest, listen, onError, value, watch } from "../store/values.js";
import { capital, time } from "../store/units.js";

let songs = [];

/** Sets up the song list and its buttons. */
export function setUpSongs() {
  const list = find("#song-list");
  let scrolledTo;
  const draw = () => {
    const [state, number] = latest("/music/state") ?? [];
    setRows(list, songs.map((name, at) => {
      const is = at + 1 === number && state !== "stopped";
      const play = () => send("/music/play", at + 1);
      return make("li", "", {}, makeButton("song", { "aria-current": is ? "true" : undefined }, play, icon(is ? "playing" : "play"), make("span", "", {}, name)));
    }), find("#song-refresh"));
    // The song that starts comes into view.
    if (scrolledTo !== number) find("[aria-current]", list)?.scrollIntoView({ block: "nearest" });
    scrolledTo = number;
    find("#song-empty").hidden = songs.length > 0;
  };

  // A packet holds about a hundred songs: more are queried until the reply is empty.
  listen("/music", (...names) => {
    songs = nextSong === 1 ? names : [...songs, ...names];
    if (names.length) {
      nextSong = songs.length + 1;
      send("/music", nextSong);
    }
    nextFrame(draw);
  });
  for (const [step, end] of [["previous", "first"], ["next", "last"]]) {
    onError(`/music/${step}`, (code, text) => notify(code === "state" ? `This is the ${end} song` : text, "fault"));
  }
  onError("/music", (code, text) => (find("#song-empty").textContent = capital(text) + "."));
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
  find("#song-play").addEventListener("click", () => send(value("/music/state") === "stopped" ? "/music/play" : "/music/stop"));
  find("#song-refresh").addEventListener("click", querySongs);
}

let nextSong = 1;

/** Queries the songs again. */
export function querySongs() {
  nextSong = 1;
  send("/music", 1);
}
