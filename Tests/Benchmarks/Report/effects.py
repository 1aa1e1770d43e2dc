#!/usr/bin/env python3
"""Measures the node's effects compared with peers, on the same signals in one run.

Prints tables, and writes them with plots as a report. Run by `scripts/bench effects`."""

import argparse
import concurrent.futures
import datetime
import os
import pathlib
import sys
import tempfile
import time

# One thread per process, because there is a process for each core already.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import pitch  # noqa: E402
import measures  # noqa: E402
import signals  # noqa: E402
import space  # noqa: E402
import tables  # noqa: E402
import voice  # noqa: E402
from machine import machine  # noqa: E402
from tool import ECHO, GATE, HARMONIES, LEVEL, OURS, PITCH, REVERB, TRANSFORM, TUNE, Tool  # noqa: E402

# Runs of each build, the fastest of which counts.
TURNS = 5


def quality(tool, name, kinds, sounds):
    """The figures of an effect that don't depend on time, and the curve to be plotted."""
    if kinds & PITCH:
        return pitch.quality(tool, name, kinds, sounds), None
    if kinds & REVERB:
        return space.reverb_quality(tool, name)
    if kinds & ECHO:
        return space.echo_quality(tool, name), None
    if kinds & GATE:
        return voice.gate_quality(tool, name, sounds), None
    if kinds & LEVEL:
        return voice.level_quality(tool, name), None
    if kinds & TUNE:
        return voice.tune_quality(tool, name, sounds), None
    if kinds & HARMONIES:
        return voice.harmony_quality(tool, name, sounds), None
    return {}, None


def cost(tool, name, kinds):
    if kinds & PITCH:
        return pitch.cost(tool, name)
    if kinds & REVERB:
        return space.cost(tool, name, f"seconds={space.DECAY}")
    if kinds & ECHO:
        return space.cost(tool, name, "seconds=0.35", "feedback=0.5")
    if kinds & GATE:
        return voice.cost(tool, name, "mixed", f"threshold={voice.THRESHOLD}")
    if kinds & LEVEL:
        return voice.cost(tool, name, "mixed")
    if kinds & TUNE:
        return voice.cost(tool, name, "sung wrong")
    if kinds & HARMONIES:
        return voice.cost(tool, name, "sung wrong")
    if kinds & TRANSFORM:
        return {"transform": tool.time(name, "noise", block=2048)["mean_ns"]}
    return {}


def measure(tool, kinds, sounds, progress):
    # Sorts effects by kind.
    groups = (PITCH, REVERB, ECHO, GATE, LEVEL, TUNE, HARMONIES, TRANSFORM)
    order = [name for group in groups for name in kinds if kinds[name] & group]
    kinds = {name: kinds[name] for name in order}
    results = {name: {} for name in kinds}
    curves = {}
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = {
            pool.submit(quality, tool, name, kinds[name], sounds): name
            # The slowest first, so that no core waits for it at the end.
            for name in sorted(kinds, key=lambda name: not name.startswith("Rubber"))
        }
        for job in concurrent.futures.as_completed(jobs):
            name = jobs[job]
            figures, curve = job.result()
            results[name].update(figures)
            if curve is not None:
                curves[name] = curve
            progress(f"heard {name}")
    # Serially, for reliable times.
    for name in kinds:
        progress(f"timing {name}")
        results[name].update(cost(tool, name, kinds[name]))
    fftw = results.get("FFTW", {}).get("transform")
    for figures in results.values():
        if fftw and "transform" in figures:
            figures["by FFTW"] = figures["transform"] / fftw
    return results, {name: curves[name] for name in kinds if name in curves}


def compare_builds(tool, other, kinds, progress):
    """Prints the cost of our effects in two builds, measured alternately: the minimum of several runs."""
    print(f"{'ns a frame, or a transform':<42}{'syrinx':>12}{'before':>12}{'ratio':>8}")
    for name in (name for name in kinds if name.startswith(OURS)):
        figures = {}
        for turn in range(TURNS):
            progress(f"timing {name}, {turn + 1} of {TURNS}")
            for side, program in enumerate((tool, other)):
                for figure, value in cost(program, name, kinds[name]).items():
                    if figure.startswith(("ns", "transform", "allocations")):
                        figures.setdefault(figure, ([], []))[side].append(value)
        progress("")
        for figure, sides in figures.items():
            own, before = (min(values) for values in sides)
            ratio = f"{own / before:8.2f}" if before else ""
            print(f"{name + ', ' + figure:<42}{own:>12.2f}{before:>12.2f}{ratio}", flush=True)


def references(sounds):
    """The measures of the unprocessed signals."""
    said = [f"A click itself is {measures.click_width(sounds['clicks']):.2f} ms wide."]
    if "speech 80" in sounds:
        floor = measures.envelope_distance(sounds["speech 50"], sounds["speech 80"])
        said.append(f"The voices p50 and p80 themselves are {floor:.2f} dB apart.")
    return " ".join(said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the folder for the report")
    parser.add_argument("--program", required=True, help="the program that renders and times")
    parser.add_argument("--peer", action="append", default=[], help="a library of peers")
    parser.add_argument("--beside", help="another build of the program, to compare the cost with")
    parser.add_argument("--only", default="", help="measure only effects whose name contains this")
    arguments = parser.parse_args()
    began = time.monotonic()

    def progress(text):
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        sounds = signals.make(work)
        tool = Tool(arguments.program, arguments.peer, work, work)
        kinds = {k: v for k, v in tool.kinds().items() if arguments.only in k}
        if arguments.beside:
            compare_builds(tool, Tool(arguments.beside, [], work, work), kinds, progress)
            return
        results, curves = measure(tool, kinds, sounds, progress)
    progress("")

    title = "The effects compared with their peers: 48 kHz, blocks of 128 unless noted"
    notes = [machine(), references(sounds)]
    if "speech 80" not in sounds:
        notes.append("espeak-ng is missing: no voices were measured.")
    missing = tables.unmeasured(results)
    if missing and not arguments.only:
        notes.append(f"Not installed: {', '.join(missing)}.")
    notes.append(f"Measured in {time.monotonic() - began:.0f} s.")

    page = [f"# {title}", "", datetime.date.today().isoformat() + ". " + "\n".join(notes), ""]
    print(title, *notes, sep="\n")
    for heading, note, header, rows, texts in tables.sections(results):
        said = f"{heading}. {note}" if note else heading
        print("", said, tables.plain(header, rows, texts), sep="\n")
        page += [f"## {heading}", "", *([note + ".", ""] if note else [])]
        page += [tables.markdown(header, rows, texts), ""]

    try:
        import plots
    except ImportError:
        print("\nmatplotlib is missing: no plots")
    else:
        for file, caption in plots.draw(results, curves, arguments.folder):
            page += [f"![{caption}]({file}.png)", ""]
    (arguments.folder / "report.md").write_text("\n".join(page))
    print(f"\n{arguments.folder / 'report.md'}")


if __name__ == "__main__":
    main()
