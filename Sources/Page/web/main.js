// Starts the page: sets up each part with its element, then opens the connection.

import { onLink, onMessage, openLink, pair, send } from "./link/socket.js";
import { subscribe } from "./link/subscription.js";
import { receive } from "./store/values.js";
import { fetchTable } from "./store/table.js";
import { foundTakes, resetTakes } from "./store/takes.js";
import { stayAwake } from "./parts/awake.js";
import { beat } from "./parts/beat.js";
import { choice } from "./parts/choice.js";
import { fader } from "./parts/fader.js";
import { flag } from "./parts/flag.js";
import { setUpKeys } from "./parts/keys.js";
import { setUpLock } from "./parts/lock.js";
import { find, make } from "./parts/make.js";
import { levelFigure, meter } from "./parts/meter.js";
import { pad } from "./parts/pad.js";
import { pick } from "./parts/pick.js";
import { press } from "./parts/press.js";
import { setUpSheets } from "./parts/sheet.js";
import { stepper } from "./parts/stepper.js";
import { askForPosts, setUpFeed } from "./pages/feed.js";
import { setUpGrid } from "./pages/grid.js";
import { setUpLoop } from "./pages/loop.js";
import { setUpRig } from "./pages/rig.js";
import { askForSongs, setUpSongs } from "./pages/songs.js";
import { setUpStage } from "./pages/stage.js";
import { openTake, setUpTakes } from "./pages/takes.js";
import { setUpVoice } from "./pages/voice.js";

document.head.append(make("link", "", { rel: "stylesheet", href: "/page/more.css" }));
onMessage(receive);

const parts = {
  ".fader": fader,
  ".switch[data-address]": flag,
  ".choice[data-address]": choice,
  ".pad": pad,
  "select[data-address]": pick,
  ".stepper": stepper,
  "[data-press]": press,
  "[data-meter]": meter,
  "[data-level]": levelFigure,
  ".beats": beat,
};
for (const [selector, begin] of Object.entries(parts)) document.querySelectorAll(selector).forEach((element) => begin(element));

setUpSheets();
setUpVoice();
setUpLoop();
setUpGrid();
setUpTakes();
setUpSongs();
setUpFeed();
setUpRig();
setUpStage(showMapWhereSeen);
setUpKeys();
setUpLock();
stayAwake();

// The map is fetched when it is first visible.
const takes = find("#takes");
for (const event of ["takes", "view"]) takes.addEventListener(event, showMapWhereSeen);
addEventListener("resize", showMapWhereSeen);
async function showMapWhereSeen() {
  if (!find("#map").offsetParent) return;
  const { showMap } = await import("./map/map.js");
  await showMap(foundTakes(), openTake);
}

find("#pair-form").addEventListener("submit", (event) => {
  event.preventDefault();
  pair(find("#pair-token").value);
});

onLink((state) => {
  if (state !== "open") return;
  fetchTable();
  subscribe();
  for (const question of ["/presets", "/presets/own", "/instruments", "/scales", "/ports", "/midi/bindings", "/preset", "/loops"]) send(question);
  resetTakes();
  askForSongs();
  askForPosts();
});
openLink();
