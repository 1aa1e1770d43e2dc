// The keyboard shortcuts: one table for their dispatch, the dialog that lists them, and Browser.md.

import { keep, kept } from "../store/kept.js";

/**
 * Groups of [title, rows]. A row is [keys, effect, action, argument]: the action is one of keys.js. The focused
 * control handles the keys of a row without an action.
 */
export const shortcuts = [
  ["Selected loop", [
    ["Space", "pedal: record, play, overdub; held: stop", "pedal"],
    ["1 to 9", "select a loop", "select"],
    ["0, then a digit", "select loop 10, or 11 to 16 with the digit", "selectTen"],
    ["R", "record", "press", "record"],
    ["O", "overdub", "press", "overdub"],
    ["P", "play, pause", "press", "play"],
    ["X", "stop", "press", "stop"],
    ["Z", "pause", "press", "pause"],
    ["N", "play once", "press", "once"],
    ["U", "undo", "press", "undo"],
    ["Y", "redo", "press", "redo"],
    ["E", "replace", "press", "replace"],
    ["B", "substitute", "press", "substitute"],
    ["L", "multiply", "press", "multiply"],
    ["I", "insert", "press", "insert"],
    ["V", "cancel the queued command", "press", "cancel"],
    ["Comma", "10 s back", "press", "rewind"],
    ["Period", "10 s ahead", "press", "forward"],
    ["<", "half speed", "speed", 0.5],
    [">", "double speed", "speed", 2],
    ["Q", "reverse", "reverse"],
    ["M", "mute", "mute"],
    ["K, then a digit", "keep that many of the last bars; 0 is ten", "keep"],
    ["W", "save as a take", "press", "save"],
    ["C, then C", "clear", "clear"],
  ]],
  ["All loops and the node", [
    ["Shift M", "mute the output", "muteAll"],
    ["Shift X", "stop all loops", "stopAll"],
    ["T", "tap the tempo", "tap"],
    ["Shift U", "press the button of the notice, such as Undo", "noticed"],
  ]],
  ["Pages and controls; again: the next one", [
    ["Shift 1 to 7", "a page and its main control", "page"],
    ["Shift L", "pedal, gain and playhead of the selected loop", "go", "loop"],
    ["Shift V", "presets: type a name, Enter loads it", "go", "presets"],
    ["Shift P", "pitch, on and off, formant", "go", "pitch"],
    ["Shift E", "echo mix, on and off, time, feedback", "go", "echo"],
    ["Shift R", "reverb mix, on and off, decay, size", "go", "reverb"],
    ["Shift B", "bypass", "go", "bypass"],
    ["Shift N", "cells of the grid, piano", "go", "notes"],
    ["Shift K", "root of the grid", "go", "root"],
    ["Shift S", "scale", "go", "scale"],
    ["Shift I", "instrument", "go", "instrument"],
    ["Shift O", "octave of the piano: more, less", "go", "octave"],
    ["Shift C", "record a take", "go", "record"],
    ["Shift F", "find takes; Down goes to the first one found", "go", "search"],
    ["Shift T", "list of takes", "go", "takes"],
    ["Shift J", "songs: play, next, previous", "go", "songs"],
    ["Shift G", "scenes: next, previous", "go", "scenes"],
  ]],
  ["In the list of takes", [
    ["Enter", "play or stop, or open the take"],
    ["Delete", "move the take to the trash", "trash"],
    ["F2", "rename the take", "rename"],
  ]],
  ["Notes", [
    ["A S D F G H J", "keys of the piano, if it is shown", "piano"],
  ]],
  ["Everywhere", [
    ["Arrow keys", "cells, presets, takes, faders"],
    ["Enter, Space", "press the focused control"],
    ["Delete", "reset the focused fader"],
    ["Escape", "leave a field, close a dialog"],
    ["?", "this list", "list"],
  ]],
];

const setting = "syrinx.keys";

/** Whether the shortcuts are on, on this device. */
export const areShortcutsOn = () => kept(setting) !== "off";

/** Turns the shortcuts on or off on this device. */
export const setShortcuts = (on) => keep(setting, on ? "on" : "off");

const named = { " ": "Space", ",": "Comma", ".": "Period" };

/** The rows with an action, by their first key. */
const rows = new Map();
for (const [, group] of shortcuts) {
  for (const [keys, , action, argument] of group) {
    if (!action) continue;
    for (const key of action === "piano" ? keys.split(" ") : [keys.split(", then ")[0]]) rows.set(key, { action, argument, key });
  }
}

/** The digit of an event, also with Shift, by its position on the keyboard; undefined for other keys. */
export function digitOf({ code }) {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(code)?.[1];
  return digit && Number(digit);
}

/** The row of an event's key: {action, argument, key}; undefined if the key has no action. */
export function shortcutOf(event) {
  const { key, code, shiftKey } = event;
  const digit = digitOf(event);
  if (digit !== undefined) return rows.get(shiftKey ? "Shift 1 to 7" : digit ? "1 to 9" : "0");
  // Other scripts have no Latin letters: there, its position counts.
  const letter = /^[a-z]$/i.test(key) ? key.toUpperCase() : key.charCodeAt(0) > 127 && /^Key(.)$/.exec(code)?.[1];
  return rows.get(letter ? (shiftKey ? "Shift " : "") + letter : named[key] ?? key);
}
