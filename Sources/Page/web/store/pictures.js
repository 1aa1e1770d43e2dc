// The small copies of takes' pictures, each fetched once and kept until the picture is another.

import { fetchSmall } from "../link/files.js";
import { make } from "../parts/make.js";
import { hear } from "./values.js";

const most = 200;
const urls = new Map();
const watchers = new Set();

/** Calls changed(id) when the picture of a take is another, or gone. */
export function watchPictures(changed) {
  watchers.add(changed);
}

/** A small picture of a take, which stays hidden where there is none. */
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

// What is shown already stays as it is.
function forget(id) {
  urls.get(id)?.then((url) => url && URL.revokeObjectURL(url));
  urls.delete(id);
}

hear("/take/picture", (id) => {
  forget(id);
  for (const changed of watchers) changed(id);
});
