// The lock, which leaves only playing enabled. It is stored on this device.

import { keep, kept } from "../store/kept.js";
import { find } from "./make.js";
import { notify } from "./notice.js";
import { closeSheet } from "./sheet.js";

const key = "syrinx.locked";
const holdTime = 800;

/** Sets up the lock button: a tap locks, a hold unlocks. */
export function setUpLock() {
  const button = find("#lock");
  const label = find("span", button);
  const icon = find("use", button);
  let held;

  const apply = (locked) => {
    document.body.classList.toggle("locked", locked);
    if (locked) closeSheet();
    for (const part of document.querySelectorAll("[data-lockable]")) part.inert = locked;
    button.setAttribute("aria-pressed", String(locked));
    label.textContent = locked ? "Unlock" : "Lock";
    icon.setAttribute("href", locked ? "#i-locked" : "#i-lock");
    button.title = locked ? "Hold to unlock" : "Lock everything except playing";
    keep(key, locked ? "1" : "");
  };
  const isLocked = () => document.body.classList.contains("locked");
  const end = () => {
    button.classList.remove("holding");
    clearTimeout(held);
    held = undefined;
  };
  const begin = () => {
    if (!isLocked() || held) return;
    button.classList.add("holding");
    held = setTimeout(() => {
      end();
      apply(false);
      notify("Unlocked");
      justUnlocked = true;
    }, holdTime);
  };
  // The click after the hold must not lock again.
  let justUnlocked = false;

  button.addEventListener("pointerdown", () => {
    justUnlocked = false;
    begin();
  });
  button.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    if (!event.repeat) justUnlocked = false;
    begin();
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave", "keyup", "blur"]) button.addEventListener(name, end);
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("click", () => {
    if (justUnlocked) justUnlocked = false;
    else if (isLocked()) notify("Hold the lock to unlock");
    else apply(true);
  });
  apply(kept(key) === "1");
}
