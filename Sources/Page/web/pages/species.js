// The image of the open take: the user's own, or one of the species with its credit.

import { fetchPart, fetchSmall, revokeLater } from "../link/files.js";
import { send } from "../link/socket.js";
import { complete } from "../parts/complete.js";
import { find, make, makeButton } from "../parts/make.js";
import { keep, kept } from "../store/kept.js";
import { speciesNames } from "../store/species.js";
import { take } from "../store/takes.js";
import { listen, onError, onReply, value, watch } from "../store/values.js";
import { when } from "../store/units.js";

const place = find("#take-image");
const finding = find("#take-find");
const removing = find("#take-unpicture");
// Pictures by themselves are offered once: what a search reveals is for the user to decide.
const key = "syrinx.pictures";
const offer = make("div", "offer", { id: "take-offer", hidden: true },
  make("p", "quiet", {}, "Find a picture automatically whenever a species is set? This reveals the species and the IP address of the node\u2019s network to iNaturalist and Wikimedia Commons. Sounds and locations stay on the node."),
  make("div", "pair", {},
    makeButton("tool main", {}, () => decide(true), "Find pictures"),
    makeButton("tool", {}, () => decide(false), "No, thanks")));
// The image: its take, whether there is one, and its credit.
let shown = {};
let url;

/** Sets up image and species of the open take. */
export function setUpSpecies() {
  complete(find("#take-species"), find("#take-species-names"), speciesNames);
  finding.addEventListener("click", look);
  removing.addEventListener("click", () => shown.id && send("/take/picture/remove", shown.id));
  listen("/take/image", (id, name) => {
    if (id !== shown.id) return;
    shown = { id, isThere: name !== "" };
    load();
  });
  listen("/take/picture", showCredit);
  onReply("/take/picture", rest);
  onError("/take/picture", rest);
  find(".species").after(offer);
  watch("/settings/pictures", drawOffer);
  listen("/take", drawOffer);
}

function drawOffer() {
  offer.hidden = Boolean(kept(key)) || value("/settings/pictures") !== 0 || !take(shown.id)?.species;
}

function decide(isWanted) {
  keep(key, isWanted ? "yes" : "no");
  drawOffer();
  finding.focus({ focusVisible: false, preventScroll: true });
  if (!isWanted) return;
  send("/settings/pictures", 1);
  look();
}

/** Switches to another take's image, which the node will report. */
export function showPictureOf(id) {
  shown = { id, isThere: false };
  rest();
  clear();
}

function showCredit(id, author, licence, link, source, date) {
  if (id !== shown.id) return;
  const was = shown;
  shown = { id, isThere: licence !== "", credit: licence ? { author, licence, link, source, date } : undefined };
  // A credit that comes with the image belongs to it.
  if (shown.credit && was.isThere && (!was.credit || was.credit.date === date)) draw();
  else load();
}

function look() {
  if (!shown.id || finding.disabled) return;
  if (!send("/take/picture", shown.id)) return;
  finding.disabled = true;
  finding.textContent = "Looking\u2026";
}

function rest() {
  finding.disabled = false;
  draw();
}

function clear() {
  if (url) revokeLater(url);
  url = undefined;
  draw();
}

async function load() {
  const { id } = shown;
  // The user's own image may have replaced a fetched one: fetching the thumbnail again is safe.
  const isThere = shown.isThere || (await fetchSmall(id).catch(() => undefined));
  const blob = isThere && (await fetchPart(id, "image").catch(() => undefined));
  if (id !== shown.id) return;
  clear();
  if (blob) url = URL.createObjectURL(blob);
  draw();
}

function draw() {
  const { id, credit } = shown;
  drawOffer();
  if (!finding.disabled) finding.textContent = credit ? "Another picture" : "Find a picture";
  removing.hidden = !credit;
  if (!url) return place.replaceChildren();
  const one = take(id);
  const wasHere = place.contains(document.activeElement);
  const picture = make("img", "", { alt: `Picture of ${(credit && one?.species) || one?.title || "the take"}` });
  picture.src = url;
  if (!credit) return place.replaceChildren(picture);
  const change = makeButton("change", { title: "Tap to change" }, look, picture);
  place.replaceChildren(change, make("p", "credit", {}, ...words(credit)));
  if (wasHere) change.focus({ preventScroll: true });
}

// Plain text only, and links to web pages only.
function words({ author, licence, link, source, date }) {
  const to = (href, text) => /^https?:\/\//.test(href) ? make("a", "", { href, rel: "noopener noreferrer", target: "_blank" }, text) : text;
  const name = licence === "pd" ? "public domain" : licence.toUpperCase().replace("CC-", "CC ");
  return [author || "Author unknown", ", ", to(link, name), ", ", to(source, "source"), `, ${when(date)}. Tap to change.`];
}
