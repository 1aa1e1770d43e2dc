// The lock, which leaves only playing enabled. It is stored on this device.

import { keep, kept } from "../store/kept.js";
import { onHold } from "./hold.js";
import { find } from "./make.js";
import { notify } from "./notice.js";
import { closeSheet } from "./sheet.js";

const key = "syrinx.locked";

/** Sets up the lock button: a tap locks, a hold unlocks. */
export function setUpLock() {
  const button = find("#lock");
  const label = find("span", button);
  const icon = find("use", button);

  const apply = (locked) => {
    document.body.classList.toggle("locked", locked);
    if (locked) closeSheet();
    for (const part of document.querySelectorAll("[data-lockable]")) part.inert = locked;
    // A page whose controls are all inert must still scroll with the keyboard.
    for (const page of document.querySelectorAll(".page")) {
      if (locked) page.tabIndex = 0;
      else page.removeAttribute("tabindex");
    }
    button.setAttribute("aria-pressed", String(locked));
    label.textContent = locked ? "Unlock" : "Lock";
    icon.setAttribute("href", locked ? "#i-locked" : "#i-lock");
    button.title = locked ? "Hold to unlock" : "Lock everything except playing";
    keep(key, locked ? "1" : "");
  };
  const isLocked = () => document.body.classList.contains("locked");
  onHold(button, isLocked, () => {
    apply(false);
    notify("Unlocked");
  }, () => isLocked() ? notify("Hold the lock to unlock") : apply(true));
  apply(kept(key) === "1");
}
