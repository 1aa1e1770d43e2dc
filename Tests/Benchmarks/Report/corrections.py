"""Melodies out of tune, corrected and compared with the same melodies in tune."""

import pathlib
import struct
import subprocess
import tempfile

import numpy as np
import soundfile

import envelopes
import shelf
import signals
import trips
from signals import RATE
from tool import TUNE

UNCORRECTED = "out of tune"

# Programs of General MIDI, with the transposition of the melody in semitones.
PLAYED = {
    "voice oohs": (53, 0), "choir aahs": (52, 0), "violin": (40, 12), "cello": (42, -12),
    "trumpet": (56, 12), "alto saxophone": (65, 0), "flute": (73, 12), "nylon guitar": (24, 0),
}
# Recordings of single notes in tune, and the semitones by which Rubber Band R3 detunes them.
RECORDED = ("flute01", "cello01", "trumpet01", "steel_guitar01")
RECORDED_ERROR = 0.35
SYNTHETIC = "synthetic voice"
# Pitch bend per semitone, at a range of two semitones.
BEND = 8192 / 2


def melody(program, transposition, is_right):
    """A MIDI file of the melody, with its errors as pitch bends."""

    def after(ticks):
        return bytes([0x80 | ticks >> 7, ticks & 127])

    # 1000 ticks in a second.
    track = b"\x00\xff\x51\x03\x0f\x42\x40" + bytes([0, 0xC0, program])
    ticks = int(signals.NOTE_SECONDS * 1000)
    for note, error in zip(signals.MELODY, signals.ERRORS):
        bend = 8192 + int(round(0 if is_right else error * BEND))
        key = note + transposition
        track += bytes([0, 0xE0, bend & 127, bend >> 7, 0, 0x90, key, 100])
        track += after(ticks) + bytes([0x80, key, 0])
    track += after(500) + b"\xff\x2f\x00"
    return (b"MThd" + struct.pack(">IHHH", 6, 0, 1, 1000) + b"MTrk" + struct.pack(">I", len(track)) + track)


def played(soundfont, program, transposition, is_right):
    with tempfile.TemporaryDirectory() as name:
        score, sound = pathlib.Path(name) / "melody.mid", pathlib.Path(name) / "melody.wav"
        score.write_bytes(melody(program, transposition, is_right))
        subprocess.run(
            ["fluidsynth", "-niq", "-R", "0", "-C", "0", "-g", "0.8", "-r", str(RATE), "-F", sound,
             soundfont, score], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        samples = soundfile.read(sound, always_2d=True)[0].mean(1)
    return 0.5 * samples / np.max(np.abs(samples))


def detuned(samples, semitones):
    return trips.through(
        lambda before, after: ["rubberband", "-q", "-3", "-p", str(semitones), before, after], samples)


def sounds(folder, soundfont):
    """The sounds in tune and out of tune, by name."""
    found = {
        name: tuple(played(soundfont, program, by, is_right) for is_right in (True, False))
        for name, (program, by) in PLAYED.items()
    }
    in_tune = [0] * len(signals.MELODY)
    found[SYNTHETIC] = (signals.sung_melody(in_tune), signals.sung_melody())
    for recording in shelf.RECORDINGS:
        if recording.name in RECORDED:
            samples = shelf.load(recording, folder, soundfile.read)
            found[f"{recording.name}, recorded"] = (samples, detuned(samples, RECORDED_ERROR))
    return found


def corrected(tool, effect, name, samples):
    if effect == UNCORRECTED:
        return samples
    place = f"correct {effect} {name}"
    samples.astype(np.float32).tofile(tool.place(place))
    try:
        return tool.render(effect, place)[0]
    finally:
        tool.place(place).unlink()


def measured(job):
    tool, effect, name, right, wrong = job
    after = corrected(tool, effect, name, wrong)
    # The latency of an effect can exceed what the rating allows for.
    after = trips.late(after, envelopes.lag(right, after), len(right))
    return (effect, name), trips.best_lag(right, after)[1]


def jobs(tool, folder, soundfont):
    effects = [name for name, kinds in tool.kinds().items() if kinds & TUNE]
    return [
        (tool, effect, name, right, wrong)
        for name, (right, wrong) in sounds(folder, soundfont).items()
        for effect in (UNCORRECTED, *effects)
    ]


def rows(results):
    """One row per sound, and the mean; with the header."""
    effects, names = (list(dict.fromkeys(part)) for part in zip(*results))

    def row(label, chosen):
        return [label, *(f"{np.mean([results[e, n] for n in chosen]):.2f}" for e in effects)]

    return ["", *effects], [*(row(name, [name]) for name in names), row("mean", names)]
