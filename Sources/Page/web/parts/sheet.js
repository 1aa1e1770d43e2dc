// Sheets over the page, but not over mute and the tabs. At most one is open.

import { find } from "./make.js";

let open;
let opener;

/** Makes each data-sheet button open the sheet with that id, and each data-close button close it. */
export function setUpSheets() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sheet]");
    if (button) toggleSheet(button.dataset.sheet, button);
    else if (event.target.closest("[data-close]")) closeSheet();
    else if (open && event.target === open) closeSheet();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && open) closeSheet();
  });
}

/** Toggles a sheet. */
export function toggleSheet(id, button) {
  const sheet = find("#" + id);
  const was = sheet === open;
  // A button in a sheet goes with it: the focus returns to the button of the first one.
  const first = open?.contains(button) ? opener : undefined;
  closeSheet();
  if (was) return;
  open = sheet;
  opener = first ?? button ?? document.activeElement;
  sheet.hidden = false;
  // In a large window, some are parts of their page.
  sheet.setAttribute("role", "dialog");
  button?.setAttribute("aria-expanded", "true");
  find("[data-close]", sheet)?.focus({ focusVisible: false, preventScroll: true });
}

/** Closes the open sheet. */
export function closeSheet() {
  if (!open) return;
  open.hidden = true;
  open.removeAttribute("role");
  // A shortcut may have opened it from another page.
  const button = [...document.querySelectorAll(`[data-sheet=${open.id}]`)].find((one) => one.checkVisibility());
  open = undefined;
  if (opener?.hasAttribute("data-sheet")) opener.setAttribute("aria-expanded", "false");
  const next = opener?.checkVisibility() && opener !== document.body ? opener : button;
  next?.focus({ focusVisible: false, preventScroll: true });
}
