// The map of the takes: Debian's Leaflet, the outline of all land from the node, and tiles on request.

import { degrees, isRecording, moveHere, moveNode } from "../pages/recorder.js";
import { filled, find, icon, make, makeButton } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { keep, kept } from "../store/kept.js";
import { fillSmall, smallPicture, watchPictures } from "../store/pictures.js";
import { when } from "../store/units.js";
import { latest, watch } from "../store/values.js";

const tiles = "https://tile.openstreetmap.org/{z}/{x}/{y}.png";
const key = "syrinx.map";
let map;
let pins;
let layer;
let opened;
// The pins by their places, each with the takes there.
const drawn = new Map();
// The take whose bubble opens once it has a pin.
let wanted;
// The arguments of the last call: one that waits for the map must not draw older takes.
let last;

/**
 * Shows the map with one pin per place of takes that match the words; isWhole says that these are all. A pin's bubble calls
 * open(id) and play(id), and draws its play button with draw(button, id). Returns whether there is a map.
 */
export async function showMap(takes, words, isWhole, acts) {
  last = { takes, words, isWhole, acts };
  const element = find("#map");
  const none = find("#map-none");
  try {
    await load();
  } catch {
    none.hidden = false;
    none.textContent = "No map: Leaflet is not installed on the node's machine.";
    return false;
  }
  map ?? (await begin(element));
  map.invalidateSize();
  drawPins(last.takes, last.acts);
  none.hidden = drawn.size > 0 && last.isWhole;
  none.textContent = drawn.size ? `The newest ${last.takes.length} takes. A search shows older ones.` : noneText(last.takes, last.words);
  return true;
}

// A picture that is found while a bubble is open appears in it.
watchPictures((id) => {
  for (const { made } of drawn.values()) if (made.has(id)) fillSmall(made.get(id).picture, id);
});

/** Draws the play button of the open bubble. */
export function drawBubble() {
  const button = document.querySelector(".bubble [data-take]");
  if (button) last.acts.draw(button, button.dataset.take);
}

function noneText(takes, words) {
  const found = `\u201c${words}\u201d`;
  if (words) return takes.length ? `No take that matches ${found} has a location.` : `No takes match ${found}.`;
  const next = isHere() ? "Those you record now will have yours." : "Tap where you are: those you record will have it.";
  return `No take in the list has a location. ${next}`;
}

/** Shows a take's pin with its bubble, now or when it comes. */
export function reveal(id) {
  wanted = id;
  revealWanted();
}

function revealWanted() {
  const place = [...drawn.values()].find(({ takes }) => takes.some(({ id }) => id === wanted));
  if (!place) return;
  const { pin } = place;
  place.show(wanted);
  wanted = undefined;
  map.setView(pin.getLatLng(), Math.max(map.getZoom(), 6), { animate: false });
  pin.openPopup();
}

let loading;
function load() {
  loading ??= new Promise((done, failed) => {
    const style = make("link", "", { rel: "stylesheet", href: "/page/leaflet/leaflet.css" });
    const script = make("script", "", { src: "/page/leaflet/leaflet.js" });
    script.onload = done;
    script.onerror = failed;
    document.head.append(style, make("link", "", { rel: "stylesheet", href: "/page/map/map.css" }), script);
  });
  return loading;
}

const isPlaced = ({ north, east }) => Number.isFinite(north) && Number.isFinite(east);

async function begin(element) {
  const { centre, zoom } = JSON.parse(kept(key) ?? "{}");
  const start = isHere() ? [latest("/location"), 6] : [[25, 5], 2];
  map = L.map(element, { minZoom: 1, maxZoom: 18, worldCopyJump: true, zoomControl: false, attributionControl: true }).setView(centre ?? start[0], zoom ?? start[1]);
  map.attributionControl.setPrefix(false);
  map.createPane("land").style.zIndex = 200;
  L.control.scale({ imperial: false }).addTo(map);
  find("#map-in").addEventListener("click", () => map.zoomIn());
  find("#map-out").addEventListener("click", () => map.zoomOut());
  find("#map-all").addEventListener("click", fit);
  const button = find("#map-tiles");
  button.addEventListener("click", () => setTiles(button, !layer));
  map.on("moveend", keepView);
  setUpPlace();
  new ResizeObserver(() => {
    map.invalidateSize();
    // Moves the map until the whole bubble is seen.
    opened?.update();
  }).observe(element);
  pins = L.layerGroup().addTo(map);
  await drawLand();
}

// A ring is a list of steps in hundredths of a degree.
async function drawLand() {
  const response = await fetch("/page/outline.json");
  if (!response.ok) return;
  const rings = (await response.json()).map((steps) => {
    let [x, y] = [0, 0];
    const points = [];
    for (let at = 0; at < steps.length; at += 2) points.push([(x += steps[at]) / 100, (y += steps[at + 1]) / 100]);
    return [points];
  });
  L.geoJSON({ type: "MultiPolygon", coordinates: rings }, { pane: "land", interactive: false, className: "land" }).addTo(map);
  const lines = [];
  for (let east = -180; east <= 180; east += 30) lines.push([[-85, east], [85, east]]);
  for (let north = -60; north <= 60; north += 30) lines.push([[north, -180], [north, 180]]);
  L.polyline(lines, { pane: "land", interactive: false, className: "graticule" }).addTo(map);
}

// Tiles reveal the takes' locations to another server: they load on request, and are removed on errors.
function setTiles(button, on) {
  button.setAttribute("aria-pressed", String(on));
  layer?.remove();
  layer = undefined;
  find("#map").classList.toggle("tiled", on);
  if (!on) return;
  let failures = 0;
  const mine = L.tileLayer(tiles, {
    maxZoom: 19,
    attribution: "\u00a9 <a href=\"https://www.openstreetmap.org/copyright\" rel=\"noopener\" target=\"_blank\">OpenStreetMap</a> contributors",
  });
  mine.on("tileload", () => (failures = -Infinity));
  mine.on("tileerror", () => {
    if (++failures < 3 || layer !== mine) return;
    setTiles(button, false);
    find("#map-none").hidden = false;
    find("#map-none").textContent = "The map tiles are unreachable.";
  });
  layer = mine.addTo(map);
}

// Takes closer than some ten meters share a pin: no zoom would separate them.
const placeOf = ({ north, east }) => `${north.toFixed(4)} ${east.toFixed(4)}`;

// Pins that stay as they are keep their focus and their bubble.
function drawPins(takes, acts) {
  const placed = new Map();
  for (const one of takes.filter(isPlaced)) placed.set(placeOf(one), [...(placed.get(placeOf(one)) ?? []), one]);
  for (const [key, place] of drawn) {
    if (JSON.stringify(placed.get(key)) === place.facts) continue;
    if (place.pin.isPopupOpen()) wanted ??= place.shown().id;
    pins.removeLayer(place.pin);
    drawn.delete(key);
  }
  for (const [key, takes] of placed) if (!drawn.has(key)) drawn.set(key, makePlace(takes, acts));
  revealWanted();
}

// A pin with the takes at one place, of which its bubble shows one.
function makePlace(takes, acts) {
  let at = 0;
  const place = {
    takes,
    // The bubble's elements for each take that it has shown.
    made: new Map(),
    facts: JSON.stringify(takes),
    shown: () => takes[at],
    show: (id) => (at = Math.max(0, takes.findIndex((one) => one.id === id))),
    next: () => {
      at = (at + 1) % takes.length;
      place.pin.getPopup().update();
    },
  };
  place.pin = makePin(place, acts);
  return place;
}

function makePin(place, acts) {
  const [one, ...others] = place.takes;
  const pin = L.marker([one.north, one.east], { icon: L.divIcon({ className: others.length ? "pin many" : "pin", html: others.length ? `<b>${place.takes.length}</b>` : "", iconSize: [44, 44], iconAnchor: [22, 40] }), keyboard: true });
  pin.bindPopup(bubble(pin, place, acts), { ...bubbles, offset: [0, -30] });
  pins.addLayer(pin);
  const label = others.length ? `${one.title} and ${others.length} more` : one.title;
  const element = filled(pin.getElement(), { role: "button", "aria-label": label });
  // The keyboard goes on in the bubble, and comes back.
  pin.on("popupopen", ({ popup }) => {
    if (document.activeElement === element) find("button", popup.getElement()).focus({ focusVisible: false, preventScroll: true });
  });
  pin.on("popupclose", ({ popup }) => popup.getElement().contains(document.activeElement) && element.focus({ focusVisible: false, preventScroll: true }));
  return pin;
}

// Below the bubbles are the map's buttons.
const bubbles = { closeButton: false, minWidth: innerHeight > 520 ? 168 : 240, maxWidth: 240, autoPanPaddingTopLeft: [8, 8], autoPanPaddingBottomRight: [8, 100] };

// Made when it first opens, and laid out again when its image has loaded.
function bubble(pin, place, { open, play, draw }) {
  const { made } = place;
  const fill = ({ id, title, species, date }) => {
    const picture = smallPicture(id);
    picture.addEventListener("load", () => pin.getPopup().update());
    const button = makeButton("tool", { "aria-label": `Play ${title}`, "data-take": id }, () => play(id), icon("play"), "Play");
    const count = place.takes.length;
    // The focus stays on the button through all takes.
    const next = () => {
      place.next();
      document.querySelector(".bubble-next")?.focus({ focusVisible: false, preventScroll: true });
    };
    const number = `${place.takes.indexOf(place.shown()) + 1} of ${count}`;
    const element = make("div", "bubble", {},
      makeButton("bubble-open", { "aria-label": `Details of ${title}` }, () => open(id), picture, make("b", "", {}, title), make("span", "", {}, species), make("small", "", {}, when(date)), make("u", "", {}, "Details")),
      button, ...(count > 1 ? [makeButton("tool bubble-next", { "aria-label": `Next take here, ${number} is shown` }, next, `${number}, next`)] : []));
    return { element, button, picture };
  };
  return () => {
    const one = place.shown();
    if (!made.has(one.id)) made.set(one.id, fill(one));
    const { element, button } = made.get(one.id);
    draw(button, one.id);
    return element;
  };
}

// The location of what is recorded: a tap asks whether it is there.

const isHere = () => Number.isFinite(latest("/location")?.[0]);

function setUpPlace() {
  let here;
  watch("/location", (north, east) => {
    here?.remove();
    here = isHere() ? L.circleMarker([north, east], { className: "here", radius: 8, interactive: false }).addTo(map) : undefined;
  });
  // A tap that closes a bubble asks nothing.
  let wasOpen = false;
  map.on("popupopen", ({ popup }) => (opened = popup));
  map.on("popupclose", () => (opened = undefined));
  map.on("preclick", () => (wasOpen = Boolean(opened)));
  map.on("click", ({ latlng }) => wasOpen || askPlace(latlng.wrap()));
}

function askPlace({ lat, lng }) {
  const set = makeButton("tool main", { id: "map-here" }, () => {
    map.closePopup();
    if (isRecording()) moveHere(lat, lng);
    else moveNode(lat, lng);
    notify(isRecording() ? "This recording has that location" : "New recordings have that location", "done");
  }, "I am here");
  L.popup(bubbles).setLatLng([lat, lng]).setContent(make("div", "bubble", {}, degrees(lat, lng), set)).openOn(map);
}

function fit() {
  const places = pins.getLayers().map((pin) => pin.getLatLng());
  if (places.length) map.fitBounds(L.latLngBounds(places).pad(0.3), { maxZoom: 12 });
  else map.setView([25, 5], 2);
}

function keepView() {
  const { lat, lng } = map.getCenter();
  keep(key, JSON.stringify({ centre: [lat, lng], zoom: map.getZoom() }));
}
