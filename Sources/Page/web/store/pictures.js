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
  fillSmall(picture, id);
  return picture;
}

/** Shows the thumbnail that a take has by now in an image, or hides it. */
export async function fillSmall(picture, id) {
  if (!urls.has(id)) {
    urls.set(id, fetchSmall(id).then((blob) => blob && URL.createObjectURL(blob), () => undefined));
    if (urls.size > most) forget(urls.keys().next().value);
  }
  const loading = urls.get(id);
  const url = await loading;
  // A later picture may be faster.
  if (urls.has(id) && urls.get(id) !== loading) return;
  picture.hidden = !url;
  if (url) picture.src = url;
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
