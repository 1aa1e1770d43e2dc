// The recorder: its button on the takes page, ON AIR on every page, and the location of what it records.

import { onLink, send } from "../link/socket.js";
import { find, icon, make, makeButton } from "../parts/make.js";
import { time } from "../store/units.js";
import { latest, onReply, value, watch } from "../store/values.js";

const button = makeButton("press capture", { id: "take-record", "aria-pressed": "false" }, press, make("i", "run"), icon("record"), make("span", "", {}, "Record"));
const clock = make("b", "", { id: "recorder-time" });
const where = make("small", "", { id: "recorder-place" });
const recorder = make("div", "recorder", {}, button, make("p", "", {}, make("span", "air", {}, make("b", "", {}, "On air"), clock), where));

// On every page, in the permanent part.
const lamp = make("a", "lamp", { href: "#takes", hidden: true, "aria-label": "On air: recording to disk" }, make("b", "", {}, "On air"), make("span"));

const insecure = "browsers give it only over https or on localhost";
// Why the browser gives no location.
let reason = isSecureContext ? "" : insecure;

/** Sets up the recorder; calls recorded(id) for a take that was recorded from here. */
export function setUpRecorder(recorded) {
  // First in the order of the focus.
  find("#takes").prepend(recorder);
  find("#link").before(lamp);
  watch("/capture/on", (on) => {
    button.setAttribute("aria-pressed", String(on === 1));
    find("span", button).textContent = on ? "Stop" : "Record";
    find("use", button).setAttribute("href", on ? "#i-stop" : "#i-record");
    recorder.classList.toggle("on", on === 1);
    lamp.hidden = on !== 1;
    drawPlace();
  });
  watch("/capture/state", (state, seconds) => {
    const text = state === "on" ? time(seconds) : time(0);
    clock.textContent = text;
    find("span", lamp).textContent = text;
  });
  for (const address of ["/location", "/capture/location"]) watch(address, drawPlace);
  onReply("/capture/on", (id) => id && recorded(id));
  onLink((state) => state === "open" && locateUnasked());
}

// The map then begins here, and the recording has its location from the start.
function locateUnasked() {
  navigator.permissions?.query({ name: "geolocation" }).then(({ state }) => state === "granted" && isSecureContext && locate(moveNode, () => {}), () => {});
}

function press() {
  if (value("/capture/on") === 1) return send("/capture/on", 0);
  send("/capture/on", 1);
  locate(moveHere);
}

/** Sets the location of the node, and of what is being recorded. */
export function moveHere(north, east) {
  moveNode(north, east);
  // The browser may answer after the end, too.
  send("/capture/location", north, east);
}

/** Sets the location of the recordings to come. */
export const moveNode = (north, east) => send("/location", north, east);

/** Whether something is being recorded. */
export const isRecording = () => value("/capture/on") === 1;

function setReason(words) {
  reason = words;
  drawPlace();
}

function locate(found, fail = setReason) {
  if (!isSecureContext) return fail(insecure);
  if (!navigator.geolocation) return fail("this browser gives none");
  navigator.geolocation.getCurrentPosition(({ coords: { latitude, longitude } }) => {
    setReason("");
    found(latitude, longitude);
  }, ({ code }) => fail(code === 1 ? "this browser is not allowed to give it" : "this browser has none now"), { enableHighAccuracy: true, maximumAge: 30000, timeout: 20000 });
}

function drawPlace() {
  const [north, east] = latest(isRecording() ? "/capture/location" : "/location") ?? [];
  const known = Number.isFinite(north) ? degrees(north, east) : "";
  where.textContent = known ? known + (reason && `, as set before: ${reason}`) : reason ? `No location: ${reason}. Tap the map to set it.` : "No location yet. Record asks for it; or tap the map.";
}

/** A location in degrees, to some ten meters. */
export const degrees = (north, east) => `${Math.abs(north).toFixed(4)}\u00b0 ${north < 0 ? "S" : "N"}, ${Math.abs(east).toFixed(4)}\u00b0 ${east < 0 ? "W" : "E"}`;
