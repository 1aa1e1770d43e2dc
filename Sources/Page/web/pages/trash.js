// The trash, queried when it is opened.

import { onLink, send } from "../link/socket.js";
import { find, make } from "../parts/make.js";
import { when } from "../store/units.js";
import { hear } from "../store/values.js";

const list = make("ul", "", { id: "trash-list", "aria-label": "Takes in the trash" });
const empty = make("p", "empty", {}, "The trash is empty.");
const trash = make("details", "", { id: "trash" }, make("summary", "tool", {}, "Trash"), empty, list);
let coming = [];

/** Sets up the trash below the list of takes. */
export function setUpTrash() {
  const ask = () => {
    coming = [];
    if (trash.open) send("/takes/trash", 0, 100);
  };
  find("#take-more").after(trash);
  trash.addEventListener("toggle", ask);
  onLink((state) => state === "open" && ask());
  hear("/take/trashed", (id, title, species, date) => coming.push(row(id, title, species, date)));
  hear("/takes/trash/end", () => {
    list.replaceChildren(...coming);
    empty.hidden = coming.length > 0;
    coming = [];
  });
  hear("/take/delete", ask);
  hear("/reply", (address) => address === "/take/restore" && ask());
}

function row(id, title, species, date) {
  const restore = make("button", "tool", { type: "button", "aria-label": `Restore ${title}, ${when(date)}` }, "Restore");
  restore.addEventListener("click", () => send("/take/restore", id));
  const words = [species, when(date)].filter(Boolean).join(" \u00b7 ");
  return make("li", "", {}, make("span", "", {}, make("b", "", {}, title), make("small", "", {}, words)), restore);
}
