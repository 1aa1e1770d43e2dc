// A sheet over the page, never over mute and the tabs; one is open at a time.

import { find } from "./make.js";

let open;
let opener;

/** Makes every button with a data-sheet open the sheet of that id, and every data-close close it. */
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

/** Opens a sheet, or closes it where it is open. */
export function toggleSheet(id, button) {
  const sheet = find("#" + id);
  const was = sheet === open;
  closeSheet();
  if (was) return;
  open = sheet;
  opener = button ?? document.activeElement;
  sheet.hidden = false;
  button?.setAttribute("aria-expanded", "true");
  find("[data-close]", sheet)?.focus({ focusVisible: false, preventScroll: true });
}

/** Closes the sheet that is open. */
export function closeSheet() {
  if (!open) return;
  open.hidden = true;
  open = undefined;
  if (opener?.hasAttribute("data-sheet")) opener.setAttribute("aria-expanded", "false");
  opener?.focus({ focusVisible: false, preventScroll: true });
}
