"""Follows MIDI clock with several programs at once; see scripts/benchmarks/clock.bash.

clock.py NODE_PORT LOOPER_PORT MCLK_LOG ARDOUR_LOG [PLOT.png]; ARDOUR_LOG is empty if it does not run
"""

import os
import re
import subprocess
import sys
import threading
import time

import numpy

from rig import RATE, Program, Stage, onsets, table

REPEATS = int(os.environ.get("REPEATS", 3))
GAP = 1.5
RAMP = 15.36  # seconds from 120 to 130 beats per minute: eight bars
CASES = [  # name, jitter in ms, whether it is normal, whether the tempo changes
    ("none", 0, False, False), ("1 ms uniform", 1, False, False), ("1 ms rms", 1, True, False),
    ("3 ms uniform", 3, False, False), ("3 ms rms", 3, True, False),
    ("ramp", 0, False, True), ("ramp, 1 ms rms", 1, True, True),
]
FOLLOWERS = ["syrinx", "jack_mclk_dump", "sooperlooper", "ardour"]


class Clock:
    """One case: its exact beats, and the ticks that are sent, in frames from the start of the stage."""

    def __init__(self, case, begin, random):
        self.case, self.begin = case, begin
        name, jitter, normal, self.ramp = case
        self.beats = 40 if self.ramp else 16
        # Beats by time: constant, or constant for eight beats and then a parabola.
        times = numpy.arange(0, self.beats * 0.5 + 1, 1e-4)
        self.times, self.at_times = times, self.beats_at(times)
        exact = self.frame_of(numpy.arange(self.beats * 24) / 24)
        noise = random.normal(0, 1, len(exact)) if normal else random.uniform(-0.5, 0.5, len(exact))
        self.ticks = numpy.sort(numpy.rint(exact + noise * jitter * RATE / 1000).astype(int))
        self.end = int(self.frame_of(self.beats))

    def beats_at(self, seconds):
        late = numpy.clip(seconds - 4, 0, RAMP) if self.ramp else 0 * seconds
        return 2 * seconds + 10 / RAMP / 60 * late**2 / 2

    def frame_of(self, beats):
        return self.begin + RATE * numpy.interp(beats, self.at_times, self.times)

    def beat_at(self, frames):
        return self.beats_at((numpy.asarray(frames) - self.begin) / RATE)

    def tempo_at(self, frames):
        late = numpy.clip((numpy.asarray(frames) - self.begin) / RATE - 4, 0, RAMP)
        return 120 + (10 / RAMP * late if self.ramp else 0 * late)

    def events(self):
        return [(self.ticks[0], "fa"), *((tick, "f8") for tick in self.ticks), (self.end, "fc")]


def watch(stage, node, looper, readings, done):
    """Reads the tempo of the programs that are asked, fifty times a second."""
    while not done.is_set():
        for name, program, query in (
            ("syrinx", node, ("/tempo/bpm",)),
            ("sooperlooper", looper, ("/get", "tempo", looper.own, "/tempo")),
        ):
            reply = program.get(*query, reply=query[-1])
            if reply:
                readings[name].append(((time.monotonic() - stage.zero) * RATE, reply[-1]))
        time.sleep(0.02)


def repeat(ports, clock_inputs, node, looper, ticks, log, ardour_log, random):
    """Plays all cases once.

    Returns (follower, case, kind) -> beats and errors, the xruns, the gaps, and the clocks with gaps.
    """
    clocks, begin = [], 2 * RATE
    for case in CASES:
        clocks.append(Clock(case, begin, random))
        begin = clocks[-1].end + int(GAP * RATE)
    skipped = sum(1 for _ in open(log))
    stage = Stage(ports, begin // RATE + 1, [event for clock in clocks for event in clock.events()],
                  [("midi", port) for port in clock_inputs], ticks)
    readings, done = {"syrinx": [], "sooperlooper": [], "ardour": [], "jack_mclk_dump": []}, threading.Event()
    thread = threading.Thread(target=watch, args=(stage, node, looper, readings, done))
    thread.start()
    control = Program(node.socket.getpeername()[1])
    for clock in clocks:
        # Nothing of the last case remains.
        stage.sleep_until(clock.begin - 0.8 * RATE)
        control.send("/tempo/source", "own")
        control.send("/metronome/bpm", 100.0)
        stage.sleep_until(clock.begin - 0.5 * RATE)
        control.send("/tempo/source", "midi")
    tapes, xruns, lost = stage.finish()
    done.set()
    thread.join()
    # The filtered tempo of each tick; the first has none.
    shown = [re.search(r"CLK.* flt: *([0-9.?]+)", line) for line in list(open(log))[skipped:]]
    numbers = [float(match[1].replace("??", "nan")) for match in shown if match]
    sent = [tick for clock in clocks for tick in clock.ticks]
    if len(numbers) != len(sent):
        print(f"jack_mclk_dump: printed {len(numbers)} of {len(sent)} ticks")
    readings["jack_mclk_dump"] = list(zip(sent, numbers))
    if ardour_log:
        for line in open(ardour_log):
            if line.startswith("tempo "):
                _, at, tempo = line.split()[:3]
                readings["ardour"].append(((float(at) / 1e6 - stage.zero) * RATE, float(tempo)))
    found, whole = {}, 0
    for clock in clocks:
        # A tick that JACK delayed is not the clock's.
        if any(clock.begin - RATE < at < clock.end for at, _ in lost):
            continue
        whole += 1
        for name in FOLLOWERS:
            pairs = numpy.array([pair for pair in readings[name]
                                 if clock.begin < pair[0] < clock.end and pair[1] == pair[1]])
            if len(pairs):
                errors = pairs[:, 1] - clock.tempo_at(pairs[:, 0])
                found[name, clock.case[0], "tempo"] = clock.beat_at(pairs[:, 0]), errors
            for port, tape in tapes.items():
                if port.split(":")[0] != name:
                    continue
                clicks = onsets(tape)
                clicks = clicks[(clicks > clock.begin - RATE // 50) & (clicks < clock.end)]
                beats = numpy.rint(clock.beat_at(clicks))
                clicks, beats = clicks[beats < clock.beats], beats[beats < clock.beats]
                errors = (clicks - clock.frame_of(beats)) * 1000 / RATE
                found[name, clock.case[0], "phase"] = beats, errors
    return found, xruns, len(lost), len(clocks) - whole


def window(results, name, case, kind, first, last):
    """All errors of beats from `first` to `last`, of all repeats."""
    parts = [numpy.array([])]
    for result in results:
        beats, errors = result.get((name, case, kind), (numpy.array([]),) * 2)
        parts.append(errors[(beats >= first) & (beats < last)])
    return numpy.concatenate(parts)


def figures(results, name, case, first, last):
    tempo = window(results, name, case, "tempo", first, last)
    phase = window(results, name, case, "phase", first, last)
    rms = lambda errors: f"{numpy.sqrt(numpy.mean(errors**2)):.3f}"  # noqa: E731
    return [rms(tempo) if len(tempo) else "-", rms(phase) if len(phase) else "-",
            f"{abs(phase).max():.3f}" if len(phase) else "-", str(len(phase)) if len(phase) else "-"]


def draw(results, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(4, 2, figsize=(11, 11), squeeze=False)
    axes = axes.ravel()
    axes[-1].axis("off")
    for case, axis in zip(CASES, axes):
        for name, colour in (("syrinx", "#c2410c"), ("ardour", "#64748b")):
            for index, result in enumerate(results):
                if (name, case[0], "phase") in result:
                    axis.plot(*result[name, case[0], "phase"], ".-", color=colour, linewidth=0.8,
                              label=None if index else name)
        axis.set_title(case[0])
        axis.set_yscale("symlog", linthresh=1)
        axis.grid(alpha=0.3)
        axis.set_xlabel("beats")
        axis.set_ylabel("phase error, ms")
        if axis.lines:
            axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def is_there(port):
    return port in subprocess.run(
        ["jack_lsp"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def main():
    node_port, looper_port, log, ardour_log, *plot = sys.argv[1:]
    node, looper = Program(node_port), Program(looper_port)
    random = numpy.random.default_rng(1)
    ports, inputs = ["syrinx:click"], ["syrinx:midi_in", "jack_mclk_dump:mclk_in"]
    if ardour_log:
        ports.append("ardour:Click/audio_out 1")
        inputs.append("ardour:MIDI Clock in")
    node.send("/metronome/on", 1)
    # MIDI clock.
    looper.send("/set", "sync_source", -2.0)
    results, faults = [], numpy.zeros(3, int)
    for turn in range(REPEATS):
        if ardour_log and not is_there(ports[-1]):
            print(f"ardour ended before clock {turn + 1} of {REPEATS}")
            ports.pop(), inputs.pop()
            ardour_log = ""
        result, *more = repeat(ports, inputs, node, looper, os.environ.get("TICKS"), log, ardour_log, random)
        results.append(result)
        faults += more
    rows = []
    for name in FOLLOWERS:
        for case, *_ in CASES:
            rows.append([name, case, *figures(results, name, case, 4, 7),
                         *figures(results, name, case, 7, 40)])
    table(["follower", "jitter", "bpm rms, 4", "ms rms", "worst", "clicks",
           "bpm rms, 7", "ms rms", "worst", "clicks"], rows)
    print(f"\n{REPEATS} clocks of each kind; {faults[0]} xruns; frames were lost {faults[1]} times, which "
          f"leaves out {faults[2]} of {REPEATS * len(CASES)} clocks")
    if plot:
        draw(results, plot[0])


main()
