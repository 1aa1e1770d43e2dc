// The map of the takes: Debian's Leaflet, the outline of all land from the node, and tiles on request.

import { filled, find, make } from "../parts/make.js";
import { keep, kept } from "../store/kept.js";
import { smallPicture } from "../store/pictures.js";

const tiles = "https://tile.openstreetmap.org/{z}/{x}/{y}.png";
const key = "syrinx.map";
let map;
let pins;
let layer;

/** Shows the map with one pin per take; calls opened(id) for an opened pin. Returns whether there is a map. */
export async function showMap(takes, opened) {
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
  drawPins(takes, opened);
  const placed = takes.filter(isPlaced).length;
  none.hidden = placed > 0;
  none.textContent = "No take has a location yet. Set it on the Rig page: new takes will have it.";
  return true;
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
  map = L.map(element, { minZoom: 1, maxZoom: 18, worldCopyJump: true, zoomControl: false, attributionControl: true }).setView(centre ?? [25, 5], zoom ?? 2);
  map.attributionControl.setPrefix(false);
  map.createPane("land").style.zIndex = 200;
  L.control.scale({ imperial: false }).addTo(map);
  find("#map-in").addEventListener("click", () => map.zoomIn());
  find("#map-out").addEventListener("click", () => map.zoomOut());
  find("#map-all").addEventListener("click", fit);
  const button = find("#map-tiles");
  button.addEventListener("click", () => setTiles(button, !layer));
  map.on("moveend", keepView);
  new ResizeObserver(() => map.invalidateSize()).observe(element);
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

function drawPins(takes, opened) {
  pins.clearLayers();
  for (const one of takes.filter(isPlaced)) {
    const pin = L.marker([one.north, one.east], { icon: L.divIcon({ className: "pin", iconSize: [44, 44], iconAnchor: [22, 40] }), keyboard: true });
    pin.on("click", () => opened(one.id));
    pin.bindTooltip(bubble(pin, one), { direction: "auto", offset: [14, -18], opacity: 1 });
    pins.addLayer(pin);
    // The tooltip shows it; a title would repeat it.
    filled(pin.getElement(), { role: "button", "aria-label": one.title });
  }
}

// Made when it first opens, and laid out again when its image has loaded.
function bubble(pin, { id, title, species }) {
  let made;
  return () => {
    if (made) return made;
    const picture = smallPicture(id);
    picture.addEventListener("load", () => pin.getTooltip().update());
    made = make("span", "bubble", {}, picture, make("b", "", {}, title), species);
    return made;
  };
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
