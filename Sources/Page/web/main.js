// Starts the page: sets up each part with its element, then opens the connection.

import { onLink, onMessage, openLink, pair, send } from "./link/socket.js";
import { subscribe } from "./link/subscription.js";
import { queryPosts } from "./store/posts.js";
import { receive } from "./store/values.js";
import { fetchTable } from "./store/table.js";
import { foundTakes, moreForMap, resetTakes, searchText } from "./store/takes.js";
import { stayAwake } from "./parts/awake.js";
import { watchClip } from "./parts/clip.js";
import { setUpControls } from "./parts/controls.js";
import { addIcons } from "./parts/icons.js";
import { setUpKeys } from "./parts/keys.js";
import { setUpLock } from "./parts/lock.js";
import { find, make } from "./parts/make.js";
import { markRecordings } from "./parts/recording.js";
import { setUpSheets } from "./parts/sheet.js";
import { setUpChanges } from "./pages/changes.js";
import { setUpFeed } from "./pages/feed.js";
import { setUpGrid } from "./pages/grid.js";
import { setUpLoop } from "./pages/loop.js";
import { setUpPlay, showPlay } from "./pages/play.js";
import { setUpRecorder } from "./pages/recorder.js";
import { setUpRig } from "./pages/rig.js";
import { setUpScenes } from "./pages/scenes.js";
import { querySongs, setUpSongs } from "./pages/songs.js";
import { setUpStage } from "./pages/stage.js";
import { drawTake, openTake, playTake, setUpTakes, showRecorded } from "./pages/takes.js";
import { setUpVoice } from "./pages/voice.js";

document.head.append(make("link", "", { rel: "stylesheet", href: "/page/more.css" }));
onMessage(receive);

addIcons(find(".sprite"));
setUpControls(document);
setUpSheets();
setUpPlay();
setUpVoice();
setUpLoop();
setUpGrid();
setUpTakes(showMapWhereSeen);
setUpRecorder(async (id) => {
  showRecorded();
  (await mapWhereSeen())?.reveal(id);
});
setUpSongs();
setUpScenes();
setUpFeed();
setUpRig();
setUpStage((page) => {
  showPlay(page === "play");
  showMapWhereSeen();
});
markRecordings();
setUpKeys();
setUpChanges();
setUpLock();
stayAwake();

// The map is fetched when it is first visible.
addEventListener("resize", showMapWhereSeen);
async function showMapWhereSeen() {
  const map = await mapWhereSeen();
  await map?.showMap(foundTakes(), searchText(), moreForMap(), { open: openTake, play: playTake, draw: drawTake });
}
watchClip(async () => (await mapWhereSeen())?.drawBubble());

async function mapWhereSeen() {
  return find("#map").offsetParent ? import("./map/map.js") : undefined;
}

find("#pair-form").addEventListener("submit", (event) => {
  event.preventDefault();
  pair(find("#pair-token").value);
});

onLink((state) => {
  if (state !== "open") return;
  fetchTable();
  subscribe();
  for (const query of ["/presets", "/presets/own", "/instruments", "/scales", "/ports", "/midi/bindings", "/preset", "/loops", "/scenes"]) send(query);
  resetTakes();
  querySongs();
  queryPosts();
});
openLink();
