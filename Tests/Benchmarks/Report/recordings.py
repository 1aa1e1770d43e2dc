#!/usr/bin/env python3
"""Measures round trips of recordings through the node's pitch engines and peers.

Prints tables, and writes them with plots as a report. Run by `scripts/bench recordings`."""

import argparse
import concurrent.futures
import datetime
import importlib.metadata
import os
import pathlib
import sys
import tempfile
import time

# One thread per process, because there is a process for each core already.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
import soundfile  # noqa: E402

import corrections  # noqa: E402
import envelopes  # noqa: E402
import shelf  # noqa: E402
import tables  # noqa: E402
from goals import AT_LEAST  # noqa: E402
from machine import machine  # noqa: E402
from ledger import Ledger  # noqa: E402
from tool import Tool  # noqa: E402
from trips import (  # noqa: E402
    EFFECTS, LIVE, R3, SHIFTS, STRETCHES, STUDIO, VOICE, Change, journey,
)

# The number of the worst recordings that are drawn.
DRAWN = 10
# The goals: how far the studio engine may be below R3 on a recording, and by how much its mean should
# exceed R3's; the live engine's ratings; how far the voice engine may be below R3 with one voice.
BELOW, ABOVE, LIVE_LEAST, LIVE_MEAN, VOICE_BELOW = 0.03, 0.15, 3.9, 4.45, 0.1


def measured(job):
    effect, change, recording, folder, program = job
    samples = shelf.load(recording, folder, soundfile.read)
    return job, *journey(effect, change, samples, program)


def mean(results, key, effect, recordings, changes):
    found = [
        results[effect, change, recording][key]
        for recording in recordings for change in changes
        if (effect, change, recording) in results
    ]
    return float(np.mean(found)) if found else None


def of_kind(kind):
    return [recording for recording in shelf.RECORDINGS if recording.kind == kind]


def goal_rows(results, changes, kept):
    def by_recording(effect, recordings=shelf.RECORDINGS):
        return np.array([mean(results, "zimtohrli", effect, [r], changes) for r in recordings])

    def row(effect, what, figure, relation, goal):
        is_met = figure >= goal - 0.005
        verdict = "met" if is_met else f"missed by {goal - figure:.2f}"
        return [effect, what, f"{figure:.2f}", f"{relation} {goal:.2f}", verdict]

    beside = by_recording(STUDIO) - by_recording(R3)
    voices = of_kind(shelf.KINDS[0])
    voice_beside = by_recording(VOICE, voices) - by_recording(R3, voices)
    live = by_recording(LIVE)
    return [
        row(STUDIO, "above R3, the worst recording", beside.min(), AT_LEAST, -BELOW),
        row(STUDIO, "above R3, mean", beside.mean(), AT_LEAST, ABOVE),
        row(LIVE, "the worst recording", live.min(), AT_LEAST, LIVE_LEAST),
        row(LIVE, "mean", live.mean(), AT_LEAST, LIVE_MEAN),
        row(VOICE, "above R3, the worst of speech and singing", voice_beside.min(), AT_LEAST,
            -VOICE_BELOW),
        row(VOICE, "formants closer than R3 -F's, dB", envelopes.closer(kept), AT_LEAST, 0),
    ]


def sections(results, changes, kept, tuned):
    shown = tables.shown
    yield ("Goals", "Rated by Zimtohrli, each recording's mean over all trips",
           ["Engine", "Measure", "Value", "Goal", ""], goal_rows(results, changes, kept), {0, 1, 4})
    for key, name in (("zimtohrli", "Zimtohrli"), ("visqol", "ViSQOL")):
        rows = [
            [recording.name, recording.kind,
             *(shown(mean(results, key, e, [recording], changes), 2) for e in EFFECTS)]
            for recording in shelf.RECORDINGS
        ]
        rows += [
            ["mean", kind, *(shown(mean(results, key, e, of_kind(kind), changes), 2)
                             for e in EFFECTS)]
            for kind in shelf.KINDS
        ]
        rows.append(["mean", "all", *(shown(mean(results, key, e, shelf.RECORDINGS, changes), 2)
                                      for e in EFFECTS)])
        yield (f"{name} by recording", "The mean over all trips", ["", "", *EFFECTS], rows, {0, 1})
        rows = [
            [str(change), *(shown(mean(results, key, e, shelf.RECORDINGS, [change]), 2)
                            for e in EFFECTS)]
            for change in changes
        ]
        yield (f"{name} by trip", "The mean over all recordings", ["there", *EFFECTS], rows, {0})

    def errors(effect, key):
        return np.abs([f[key] for (e, _, _), f in results.items() if e == effect])

    rows = []
    for effect in EFFECTS:
        pitch, length, level = (errors(effect, key) for key in ("pitch", "length", "level"))
        rows.append([
            effect, shown(float(np.median(pitch)), 2), shown(100 * float(np.mean(pitch < 0.25)), 0),
            shown(float(np.median(length)), 1), shown(float(length.max()), 1),
            shown(float(np.median(level)), 2), shown(float(level.max()), 2),
        ])
    yield ("Errors of one way", (
        "Absolute errors relative to the requested values. Pitch is the shift of the whole "
        "spectrum, which is small for engines that preserve formants. A shifter without effect "
        "would have the best round trips, and the largest errors here"
    ), ["", "pitch, semitones: median", "% within a quarter", "length, ms: median", "max",
        "level, dB: median", "max"], rows, {0})

    yield ("Formants", (
        "The change of the envelope on the way there, which should preserve it, in dB RMS from 200 Hz "
        "to 5 kHz; R3 without -F moves all of it"
    ), ["", *envelopes.EFFECTS], envelopes.rows(kept), {0})

    yield ("Corrections", (
        "Melodies and notes that are out of tune by up to 40 cents, corrected to the nearest semitone, and rated "
        "by Zimtohrli compared with the same in tune. It is nearly insensitive to 40 cents, so these are artifacts"
    ), *corrections.rows(tuned), {0})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the folder for the report")
    parser.add_argument("--program", required=True, help="the node's program")
    parser.add_argument("--sounds", type=pathlib.Path, required=True,
                        help="the folder of the unpacked packages")
    parser.add_argument("--soundfont", required=True, help="a sound font with General MIDI")
    parser.add_argument("--effects", required=True, help="the program `effects`")
    parser.add_argument("--peer", required=True, help="the library of LV2 plugins")
    parser.add_argument("--quick", action="store_true", help="one trip of the eight")
    arguments = parser.parse_args()
    began = time.monotonic()
    changes = [Change(7)] if arguments.quick else SHIFTS + STRETCHES
    jobs = [
        (effect, change, recording, arguments.sounds, arguments.program)
        # R3 first, so that no core waits for it at the end.
        for change in changes for effect in sorted(EFFECTS, key=lambda effect: effect != R3)
        for recording in shelf.RECORDINGS
    ]
    ledger = Ledger(arguments.sounds / "trips", arguments.program)
    results = {job[:3]: figures for job in jobs if (figures := ledger.find(*job[:3]))}
    missing = [job for job in jobs if job[:3] not in results]

    def tell(count):
        if sys.stderr.isatty():
            print(f"\r\033[K{count} of {len(jobs)} trips", end="", file=sys.stderr, flush=True)

    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        for job, figures, _ in pool.map(measured, missing):
            results[job[:3]] = figures
            ledger.keep(*job[:3], figures)
            tell(len(results))
        shifts = envelopes.SHIFTS[-2:-1] if arguments.quick else envelopes.SHIFTS
        kept = dict(pool.map(
            envelopes.measured, envelopes.jobs(arguments.sounds, arguments.program, shifts)))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            tool = Tool(arguments.effects, [arguments.peer], folder, folder)
            tuned = dict(pool.map(
                corrections.measured,
                corrections.jobs(tool, arguments.sounds, arguments.soundfont)))
        worst = sorted(
            ((change, recording) for effect, change, recording in results if effect == STUDIO),
            key=lambda trip: (results[(STUDIO, *trip)]["zimtohrli"]
                              - results[(R3, *trip)]["zimtohrli"]))[:DRAWN]
        drawn = [job for job in jobs if job[0] in (STUDIO, R3) and job[1:3] in worst]
        sounds = {job[:3]: sound for job, _, sound in pool.map(measured, drawn)}
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)

    versions = ", ".join(
        f"{name} {importlib.metadata.version(package)}"
        for name, package in (("Zimtohrli", "zimtohrli"), ("ViSQOL", "visqol-python")))
    title = f"Round trips of {len(shelf.RECORDINGS)} recordings, each at its best lag within 20 ms"
    licences = "; ".join(f"{name} ({licence})" for name, licence in shelf.PACKAGES.items())
    notes = [
        machine(), f"By {versions}: 1 to 5. Each trip goes as the tables say, and back.",
        "Rubber Band in its real-time mode.", f"Recordings: {licences}.",
        f"Measured {len(missing)} of {len(jobs)} trips in {time.monotonic() - began:.0f} s"
        + (", the others earlier." if len(missing) < len(jobs) else "."),
    ]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    page = [f"# {title}", "", datetime.date.today().isoformat() + ". " + "\n".join(notes), ""]
    print(title, *notes, sep="\n")
    for heading, note, header, rows, texts in sections(results, changes, kept, tuned):
        print("", f"{heading}. {note}", tables.plain(header, rows, texts), sep="\n")
        page += [f"## {heading}", "", note + ".", "", tables.markdown(header, rows, texts), ""]

    try:
        import pictures
    except ImportError:
        print("\nmatplotlib is missing: no plots")
    else:
        page += [f"![{caption}]({file}.png)\n" for file, caption in pictures.draw(
            results, sounds, worst, changes, arguments)]
    (arguments.folder / "recordings.md").write_text("\n".join(page))
    print(f"\n{arguments.folder / 'recordings.md'}")


if __name__ == "__main__":
    main()
