// The library: the list of takes, the open take, import and trash.

import { cancelLoads, download, fetchPart, resumeLoads, resumeRefused, importSound, sendImage } from "../link/files.js";
import { send } from "../link/socket.js";
import { setUpSpecies, showPictureOf } from "./species.js";
import { setUpTrash } from "./trash.js";
import { drawClip, playOrStop, stopClip, watchClip } from "../parts/clip.js";
import { field } from "../parts/field.js";
import { find, icon, make } from "../parts/make.js";
import { notify } from "../parts/notice.js";
import { setRows } from "../parts/rows.js";
import { soundPicture } from "../parts/picture.js";
import { setUpViews } from "../parts/views.js";
import { chosenSlot } from "../store/loops.js";
import { smallPicture, watchPictures } from "../store/pictures.js";
import { listen, onError, onReply } from "../store/values.js";
import { findTakes, foundTakes, moreTakes, searchText, take, takesFault, watchTakes } from "../store/takes.js";
import { capital, time, when } from "../store/units.js";

const list = find("#take-list");
const page = find("#takes");
const detail = find("#take");
const root = "/take";
let shown;
// Its place in the list, also after its deletion.
let placeOfShown = 0;
// The take that this page deletes or has deleted last.
let trashed;

/** Sets up the takes page; calls changed() when the takes or the view have changed. */
export function setUpTakes(changed) {
  watchTakes(() => {
    drawList();
    changed();
  });
  watchPictures(() => drawList());
  setUpSearch();
  setUpSpecies();
  setUpFields();
  setUpImport();
  setUpViews(find(".views", page), (view) => {
    if (shown) closeTake();
    page.dataset.showing = view;
    changed();
  }, "syrinx.library");
  setUpTrash();
  new IntersectionObserver((entries) => entries.some((one) => one.isIntersecting) && moreTakes(), { root: list.parentElement, rootMargin: "300px" }).observe(find("#take-more"));
  list.addEventListener("click", (event) => {
    const row = event.target.closest("[data-take]");
    if (!row) return;
    if (event.target.closest(".take-play")) playOrStop(root, row.dataset.take);
    else openTake(row.dataset.take);
  });
  list.addEventListener("keydown", moveInList);
  watchClip(drawPlaying);
}

// Search, and the parts shown one at a time on a small screen.

function setUpSearch() {
  const input = find("#take-search");
  let due;
  input.addEventListener("input", () => {
    clearTimeout(due);
    due = setTimeout(() => findTakes(input.value.trim()), 200);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") {
      find(".take-play", list)?.focus();
      event.preventDefault();
    }
    if (event.key !== "Escape" || !input.value) return;
    input.value = "";
    findTakes("");
    event.stopPropagation();
  });
}

/** Shows a take that was just recorded, at the top of the list: a search might hide it. */
export function showRecorded() {
  if (!searchText()) return;
  find("#take-search").value = "";
  findTakes("");
}

// The list.

function drawList() {
  const all = foundTakes();
  const at = [...list.children].findIndex((one) => one.dataset.take === shown);
  if (at >= 0) placeOfShown = at;
  setRows(list, all.map(row), find("#take-record"));
  const words = searchText();
  const empty = find("#take-empty");
  empty.hidden = all.length > 0;
  empty.textContent = takesFault() ? capital(takesFault()) : words ? `No takes match \u201c${words}\u201d.` : "No takes yet. Press Record, keep a loop, or drop a sound file here.";
  if (shown) drawHead();
}

function row({ id, title, species, date, seconds, north, east }) {
  const button = make("button", "take-play", { type: "button", "aria-label": `Play ${title}, ${when(date)}` }, icon("play"));
  drawClip(button, root, id);
  const open = make("button", "take-open", { type: "button" }, make("b", "", {}, title), make("small", "", {}, [species, when(date), place(north, east)].filter(Boolean).join(" \u00b7 ")), make("span", "take-time", {}, time(seconds)));
  return make("li", id === shown ? "is" : "", { "data-take": id }, button, smallPicture(id), open);
}

function moveInList(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const here = document.activeElement?.closest("[data-take]");
  if (!step || !here) return;
  const next = step > 0 ? here.nextElementSibling : here.previousElementSibling;
  find(document.activeElement.matches(".take-play") ? ".take-play" : ".take-open", next ?? here)?.focus();
  event.preventDefault();
}

/** Plays a take, or stops it. */
export const playTake = (id) => playOrStop(root, id);

/** Draws a button that plays a take. */
export const drawTake = (button, id) => drawClip(button, root, id);

function drawPlaying() {
  for (const one of list.children) drawClip(find(".take-play", one), root, one.dataset.take);
  drawClip(find("#take-play"), root, shown);
}

// The open take.

/** Opens a take next to the list, or over it on a small screen. */
export function openTake(id) {
  if (id !== shown) stopClip(root, shown);
  shown = id;
  drawPlaying();
  for (const one of list.children) one.classList.toggle("is", one.dataset.take === id);
  showSound();
  showPictureOf(id);
  for (const name of ["notes", "message"]) find(`#take-${name}`).value = "";
  find("#take-facts").textContent = "";
  detail.hidden = false;
  page.classList.add("open");
  drawHead();
  send("/take/show", id);
  drawWave(id);
}

function closeTake() {
  const wasInside = detail.contains(document.activeElement);
  const row = list.querySelector(`[data-take="${CSS.escape(shown ?? "")}"]`) ?? list.children[Math.min(placeOfShown, list.children.length - 1)];
  stopClip(root, shown);
  showSound();
  page.classList.remove("open");
  detail.hidden = true;
  shown = undefined;
  for (const one of list.children) one.classList.remove("is");
  if (wasInside) (row ? find(".take-open", row) : find("#take-record")).focus({ preventScroll: true });
}

function drawHead() {
  const one = take(shown);
  if (!one) return;
  for (const name of ["title", "species"]) {
    const input = find(`#take-${name}`);
    if (document.activeElement !== input) input.value = one[name];
  }
  find("#take-when").textContent = [when(one.date), time(one.seconds), place(one.north, one.east)].filter(Boolean).join(" \u00b7 ");
}

const place = (north, east) => isNaN(north) ? "" : `${north.toFixed(3)}, ${east.toFixed(3)}`;

async function drawWave(id) {
  const canvas = find("#take-wave");
  soundPicture(canvas, undefined);
  const one = take(id);
  if (!one || one.seconds > 60) return;
  const blob = await fetchPart(id, "sound").catch(() => undefined);
  if (blob && id === shown) soundPicture(canvas, blob);
}

function setUpFields() {
  for (const name of ["title", "species", "notes", "message"]) {
    field(find(`#take-${name}`), (text) => shown && send(`/take/${name}`, shown, text));
    listen(`/take/${name}`, (id, text) => {
      if (id === shown && document.activeElement !== find(`#take-${name}`)) find(`#take-${name}`).value = text;
    });
  }
  listen("/take/sound", (id, source, preset, rate, channels, peak, loudness) => {
    if (id !== shown) return;
    const words = [source && `from ${source}`, preset && `preset ${preset}`, `${rate / 1000} kHz`, channels === 1 ? "mono" : "stereo", Number.isFinite(peak) && `peak ${peak.toFixed(1)} dB`, Number.isFinite(loudness) && `${loudness.toFixed(1)} LUFS`];
    find("#take-facts").textContent = words.filter(Boolean).join(" \u00b7 ").replace(/-(?=\d)/g, "\u2212");
  });
  const click = (id, act) => find(id).addEventListener("click", () => shown && act(shown));
  click("#take-close", closeTake);
  click("#take-play", (id) => playOrStop(root, id));
  click("#take-load", (id) => {
    const number = chosenSlot();
    if (number > 1) send(`/loop/${number}/load`, id);
    else send("/take/load", id);
    notify(`In loop ${number}`, "done");
  });
  click("#take-listen", async (id) => {
    const blob = await fetchPart(id, "sound").catch(() => undefined);
    if (!blob) return notify("The sound failed to load", "fault");
    const audio = make("audio", "", { controls: true });
    audio.src = URL.createObjectURL(blob);
    showSound(audio);
    audio.play().catch(() => {});
  });
  click("#take-trash", trashTake);
  // A take that any client deletes is closed here.
  listen("/take/delete", (id) => {
    cancelLoads(id, true);
    if (id === shown) closeTake();
  });
  listen("/take", resumeLoads);
  // Another program may have changed or deleted it.
  listen("/takes/changed", () => shown && send("/take/show", shown, 0));
  onError("/take/show", (_, text) => {
    // The notice of a deletion on this page has Undo.
    if (!shown || !text.includes(shown) || shown === trashed) return;
    closeTake();
    notify("The open take was deleted");
  });
  onError("/take/delete", (...error) => {
    trashed = undefined;
    resumeRefused(...error);
  });
  onReply("/take/restore", () => {
    trashed = undefined;
    findTakes();
  });
  const format = find("#take-format");
  click("#take-export", (id) => download(id, take(id)?.title ?? "take", format.value).catch(notifyFault));
  find("#take-own").addEventListener("change", ({ target }) => {
    const id = shown;
    const [file] = target.files;
    target.value = "";
    if (file && id) sendImage(id, file).then(() => send("/take/show", id, 0), notifyFault);
  });
}

/** Moves a take to the trash. */
export function trashTake(id) {
  const title = take(id)?.title ?? "The take";
  cancelLoads(id, false);
  trashed = id;
  send("/take/delete", id);
  notify(`${title} moved to the trash`, "info", ["Undo", () => send("/take/restore", id)]);
}

/** Opens a take with its title selected. */
export function renameTake(id) {
  openTake(id);
  const title = find("#take-title");
  title.focus();
  title.select();
}

/** Shows the list of takes, which another view or an open take may cover. */
export function showTakeList() {
  find("[data-view=takes]", page).click();
}

// The sound to play in the browser, in place of the one before.
function showSound(...audio) {
  const here = find("#take-here");
  if (here.firstChild) {
    // Without its element, it would go on.
    const { src } = here.firstChild;
    here.firstChild.pause();
    // Ends the loading, which would fail without the URL.
    here.firstChild.removeAttribute("src");
    here.firstChild.load();
    URL.revokeObjectURL(src);
  }
  here.replaceChildren(...audio);
}

const notifyFault = (fault) => notify(fault.message, "fault");

// Import by drag and drop, and by button.

function setUpImport() {
  find("#take-import").addEventListener("change", ({ target }) => {
    importFiles([...target.files]);
    target.value = "";
  });
  let inside = 0;
  const mark = (is) => document.body.classList.toggle("dropping", is);
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files") && !document.body.classList.contains("locked");
  addEventListener("dragenter", (event) => hasFiles(event) && ++inside && mark(true));
  addEventListener("dragleave", (event) => hasFiles(event) && --inside <= 0 && mark(false));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    inside = 0;
    mark(false);
    importFiles([...event.dataTransfer.files]);
  });
}

async function importFiles(files) {
  const failures = [];
  let last;
  for (const [at, file] of files.entries()) {
    notify(files.length > 1 ? `Importing ${file.name}, ${at + 1} of ${files.length}` : `Importing ${file.name}`);
    try {
      last = await importSound(file);
      last.title ||= file.name;
    } catch (fault) {
      failures.push(files.length > 1 && !fault.message.includes(file.name) ? `${file.name} (${fault.message})` : fault.message);
    }
  }
  if (!files.length) return;
  findTakes();
  const done = files.length - failures.length;
  const open = last && ["Open", () => openFresh(last.id)];
  if (!failures.length) return notify(files.length > 1 ? `${done} files imported` : `${last.title} imported`, "done", open);
  const count = files.length > 1 ? `${done} of ${files.length} files imported. Not imported: ` : "";
  const more = failures.length > 3 ? ` and ${failures.length - 3} more` : "";
  notify(count + failures.slice(0, 3).join(", ") + more, "fault", open);
}

function openFresh(id) {
  location.hash = "takes";
  if (take(id)) openTake(id);
}
