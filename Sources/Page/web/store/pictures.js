// Thumbnails of takes, each fetched once and cached until the image changes.

import { fetchSmall, revokeLater } from "../link/files.js";
import { make } from "../parts/make.js";
import { listen } from "./values.js";

const most = 200;
const urls = new Map();
const watchers = new Set();

/** Calls changed(id) when a take's image changes or is deleted. */
export function watchPictures(changed) {
  watchers.add(changed);
}

/** The thumbnail of a take, hidden if it has none. */
export function smallPicture(id) {
  const picture = make("img", "small-picture", { alt: "", hidden: true });
  fill(picture, id);
  return picture;
}

async function fill(picture, id) {
  if (!urls.has(id)) {
    urls.set(id, fetchSmall(id).then((blob) => blob && URL.createObjectURL(blob), () => undefined));
    if (urls.size > most) forget(urls.keys().next().value);
  }
  const url = await urls.get(id);
  if (!url) return;
  picture.src = url;
  picture.hidden = false;
}

// A shown thumbnail stays.
function forget(id) {
  urls.get(id)?.then((url) => url && revokeLater(url));
  urls.delete(id);
}

listen("/take/picture", (id) => {
  forget(id);
  for (const changed of watchers) changed(id);
});
