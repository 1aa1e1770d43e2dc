// Generated from LoopLook.swift: the look of each state of a loop. SYRINX_WRITE_SNAPSHOTS=1 renews it in a test.

export const looks = {
  empty: { word: "Empty", icon: "plus", button: "", tone: "", fills: false, runs: false },
  recording: { word: "Rec", icon: "record", button: "record", tone: "record", fills: true, runs: false },
  overdubbing: { word: "Over", icon: "overdub", button: "overdub", tone: "overdub", fills: true, runs: true },
  replacing: { word: "Replace", icon: "replace", button: "replace", tone: "replace", fills: true, runs: true },
  substituting: { word: "Subst", icon: "substitute", button: "substitute", tone: "replace", fills: true, runs: true },
  multiplying: { word: "Multiply", icon: "multiply", button: "multiply", tone: "replace", fills: true, runs: true },
  inserting: { word: "Insert", icon: "insert", button: "insert", tone: "replace", fills: true, runs: true },
  playing: { word: "Play", icon: "play", button: "play", tone: "play", fills: true, runs: true },
  muted: { word: "Mute", icon: "muted", button: "play", tone: "play", fills: false, runs: true },
  paused: { word: "Pause", icon: "pause", button: "pause", tone: "", fills: false, runs: false },
  stopped: { word: "Stop", icon: "stop", button: "stop", tone: "", fills: false, runs: false },
};
