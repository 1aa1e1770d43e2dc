// The trash, queried when it is opened.

import { onLink, send } from "../link/socket.js";
import { find, make, makeButton } from "../parts/make.js";
import { setRows } from "../parts/rows.js";
import { when } from "../store/units.js";
import { collect, listen, onReply } from "../store/values.js";

const list = make("ul", "", { id: "trash-list", "aria-label": "Takes in the trash" });
const empty = make("p", "empty", {}, "The trash is empty.");
const trash = make("details", "", { id: "trash" }, make("summary", "tool", {}, "Trash"), empty, list);

/** Sets up the trash below the list of takes. */
export function setUpTrash() {
  const drop = collect("/take/trashed", "/takes/trash/end", (takes) => {
    setRows(list, takes.map(row), find("summary", trash));
    empty.hidden = takes.length > 0;
  });
  const query = () => {
    drop();
    if (trash.open) send("/takes/trash", 0, 100);
  };
  find("#take-more").after(trash);
  trash.addEventListener("toggle", query);
  onLink((state) => state === "open" && query());
  listen("/take/delete", query);
  onReply("/take/restore", query);
}

function row([id, title, species, date]) {
  const restore = makeButton("tool", { "aria-label": `Restore ${title}, ${when(date)}` }, () => send("/take/restore", id), "Restore");
  const words = [species, when(date)].filter(Boolean).join(" \u00b7 ");
  return make("li", "", {}, make("span", "", {}, make("b", "", {}, title), make("small", "", {}, words)), restore);
}
