// Lists that keep the focus when they are redrawn.

const controls = (row) => [...row.querySelectorAll("button, a, input, select, [tabindex]"), ...(row.matches("button") ? [row] : [])];
const idOf = ({ dataset }) => dataset.take ?? dataset.post ?? dataset.id;

// The list whose rows are being replaced, which takes the focus from it for a moment.
let redrawn;

/**
 * Replaces a list's rows. The focus stays on the same control of its row, moves to the row that takes the place of
 * a removed one, or to the element next if the list is empty.
 */
export function setRows(list, rows, next) {
  const focused = list.contains(document.activeElement) ? document.activeElement : undefined;
  const former = [...list.children];
  const place = former.findIndex((row) => row.contains(focused ?? null));
  redrawn = list;
  list.replaceChildren(...rows);
  if (focused && place >= 0) focusRow(former[place], rows, place, focused, next);
  redrawn = undefined;
}

function focusRow(former, rows, place, focused, next) {
  const id = idOf(former);
  const row = (id !== undefined && rows.find((one) => idOf(one) === id)) || rows[Math.min(place, rows.length - 1)];
  const at = controls(former).indexOf(focused);
  (row ? controls(row)[at] ?? controls(row)[0] : next)?.focus({ preventScroll: true });
}

/** Moves the focus with the arrow keys, Home and End among the controls of a list, and calls moved() for it. */
export function arrowsIn(list, selector) {
  list.addEventListener("keydown", (event) => {
    const all = [...list.querySelectorAll(selector)];
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    all[Math.min(all.length - 1, Math.max(0, to))].focus();
  });
}

// Letters that follow each other faster than this, in milliseconds, are one word.
const typing = 1000;

/** Type-ahead in a list of buttons, from typeIn(list) until Enter, Escape, or the loss of the focus. */
export function typesIn(list) {
  let word = "";
  let last = 0;
  const end = () => {
    delete list.dataset.typing;
    word = "";
  };
  list.addEventListener("focusout", ({ relatedTarget }) => redrawn === list || list.contains(relatedTarget) || end());
  list.addEventListener("click", end);
  list.addEventListener("keydown", (event) => {
    if (!("typing" in list.dataset) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") end();
    if (event.key.length > 1 || event.key === " ") return;
    event.preventDefault();
    word = event.timeStamp - last < typing ? word + event.key.toLowerCase() : event.key.toLowerCase();
    last = event.timeStamp;
    [...list.children].find((one) => one.textContent.toLowerCase().startsWith(word))?.focus();
  });
}

/** Starts type-ahead in a list. */
export const typeIn = (list) => (list.dataset.typing = "");
