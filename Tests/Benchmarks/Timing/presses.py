"""Presses loops around a beat and measures their recordings; see scripts/benchmarks/presses.bash.

presses.py NODE_PORT LOOPER_PORT [PLOT.png]
"""

import sys
import time

import numpy

from rig import RATE, Program, Stage, onsets, table

OFFSETS = range(-200, 201, 25)  # ms
GROUPS = [OFFSETS[:9], OFFSETS[9:]]
BEAT, BAR = RATE // 2, 2 * RATE
NAMES = ["syrinx", "sooperlooper"]
# The presses in units of the grid, after the first: the loop is as long as the second says.
PRESSES = [0, 4, 5, 6]
CODE = 1 << 19  # frames until the sound of the stage repeats
KINDS = ["record", "end", "overdub", "end of it"]


def code(frames):
    return 0.125 + (numpy.asarray(frames) % CODE) / (4 * CODE)


def source_ports(name, loop):
    if name == "syrinx":
        return f"syrinx:loop{loop + 1 if loop else ''}_1"
    return f"sooperlooper:loop{loop}_out_1"


def shift_at(tape, start):
    """How much later than it was played the sound of the next 5 ms is; None unless it is all of one piece."""
    frames = numpy.arange(start, start + 240)
    shifts = (frames - numpy.rint((tape[frames] - 0.125) * 4 * CODE).astype(int)) % CODE
    # Where the sound begins again, or fades, there is no shift.
    return int(shifts[0]) if tape[start] > 0.1 and (shifts == shifts[0]).all() else None


def measure(tape, unit, length, begin, overdub):
    """The frames at which the recording, and the overdub, of a loop of about this length begin and end.

    `begin` is about where it was recorded, `overdub` about where the overdub was. Read from the second
    and third cycle; None if not found.
    """
    about = begin + length
    # The seam: about a cycle after playing began. Sound before it is later by `before`, after it by `after`.
    found = []
    at = about + length - unit * 3 // 4
    while at < min(about + length + unit * 7 // 4, len(tape) - 240):
        shift = shift_at(tape, at)
        if shift is not None and (not found or found[-1][1] != shift):
            found.append((at, shift))
        at += 60
    if len(found) < 2:
        return [None] * 4
    (_, before), (at, after) = found[0], found[1]
    frames = numpy.arange(at - 2400, at)
    other = numpy.flatnonzero(abs(tape[frames] - code(frames - before)) > 1e-6)
    seam = int(frames[other[0]]) if len(other) else at
    nearest = lambda shift, target: shift + CODE * round((target - shift) / CODE)  # noqa: E731
    first = seam - nearest(after, seam - begin)
    last = seam - nearest(before, seam - begin - length)
    long = last - first
    if long <= 0 or seam >= len(tape):
        return [first, last, None, None]
    # The overdub: what the third cycle has more than its recording.
    frames = numpy.arange(seam, min(seam + long, len(tape)))
    played = frames - (frames[0] - first)
    more = tape[frames] - code(played)
    added = code(frames - long * max(1, round((seam + long / 2 - overdub) / long)))
    heard = numpy.flatnonzero(more > 0.01 * added)
    # Without the crossfade at the seam.
    heard = heard[(heard > 480) & (heard < long - 480)]
    if not len(heard):
        return [first, last, None, None]
    back = long * max(1, round((seam + heard[0] - overdub) / long))
    return [first, last, seam + int(heard[0]) - back, seam + int(heard[-1]) + 1 - back]


class Bench:
    def __init__(self, node, looper):
        self.programs = {"syrinx": node, "sooperlooper": looper}
        # How much later than the node's SooperLooper's grid is. Lost frames move both.
        self.apart = 0
        self.xruns = self.repeated = 0

    def press(self, name, loop, command, at):
        if name == "syrinx":
            # Counts at its time.
            self.programs[name].send(f"/loop/{loop + 1}/{command}", at=at)
        else:
            self.programs[name].send(f"/sl/{loop}/hit", command)

    def beginning(self, unit):
        """The time of a line of the node's grid, within a millisecond, from the fastest of twenty replies."""
        replies = []
        for _ in range(20):
            before = time.monotonic()
            phase = self.programs["syrinx"].get("/tempo/phase")[0]
            after = time.monotonic()
            replies.append((after - before, (before + after) / 2 - phase % (unit // BEAT) * BEAT / RATE))
        return min(replies)[1]

    def run(self, unit, grid, offsets):
        """Presses one loop per offset, and one more in the middle of a unit, which finds the grid.

        Returns name -> for each offset the distances to the beat meant, in ms.
        """
        node, looper = self.programs.values()
        node.send("/loop/*/clear")
        node.send("/loop/*/quantize", grid)
        looper.send("/sl/-1/hit", "undo_all")
        loops = len(offsets) + 1
        ports = [source_ports(name, loop) for name in NAMES for loop in range(loops)] + ["syrinx:click"]
        steps = PRESSES
        seconds = 4 + (2 + 3 * steps[1]) * unit // RATE
        stage = Stage(ports, seconds, connect=[
            ("sound", port) for port in
            ["syrinx:in_1", *(f"sooperlooper:loop{loop}_in_1" for loop in range(loops))]])
        todo, meant, period = [], {}, unit / RATE
        beginning = self.beginning(unit)
        for name in NAMES:
            line = beginning + (self.apart if name == "sooperlooper" else 0)
            line += period * (1 + (stage.zero + 1.2 - line) // period)
            meant[name] = [round((line + step * period - stage.zero) * RATE) for step in steps]
            for loop in range(loops):
                late = offsets[loop] / 1000 if loop < len(offsets) else -period / 2
                for step, command in zip(steps, ["record", "record", "overdub", "overdub"]):
                    at = line + step * period + late
                    todo.append((at - (0.05 if name == "syrinx" else 0), name, loop, command, at))
        for when, *press in sorted(todo):
            time.sleep(max(0, when - time.monotonic()))
            self.press(*press)
        tapes, xruns, lost = stage.finish()
        self.xruns += xruns
        if lost:
            # The node's beats wait for lost frames, so the presses were not where they were meant.
            self.repeated += 1
            print(f"{len(lost)} times lost {sum(abs(gap[1]) for gap in lost)} frames: repeated", flush=True)
            return self.run(unit, grid, offsets) if self.repeated < 12 else sys.exit("too many lost frames")
        found, lines = {}, []
        for name in NAMES:
            marks = [measure(tapes[source_ports(name, loop)], unit, steps[1] * unit, meant[name][0],
                             meant[name][2]) for loop in range(loops)]
            if name == "syrinx":
                clicks = onsets(tapes["syrinx:click"], 1e-4)
                if grid == "bar":
                    # The louder ones.
                    levels = numpy.array([abs(tapes["syrinx:click"][click:click + 960]).max()
                                          for click in clicks])
                    clicks = clicks[levels > 0.9 * levels.max()]
                line = int(clicks[0])
            else:
                line = marks[-1][0]
            if line is None:
                raise SystemExit(f"{name}: recorded nothing")
            true = [beat + (line - beat + unit // 2) % unit - unit // 2 for beat in meant[name]]
            lines.append(true[0])
            found[name] = [[None if mark is None else (mark - beat) * 1000 / RATE for mark, beat in zip(row, true)]
                           for row in marks[:-1]]
        self.apart = (lines[1] - lines[0]) % unit / RATE
        return found


def shown(value, unit):
    if value is None:
        return "not found"
    turn = round(value * RATE / 1000 / unit)
    return f"{value:.2f} {'this' if turn == 0 else 'next' if turn == 1 else f'{turn:+d}'}"


def draw(results, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(2, 4, figsize=(13, 6), sharex=True)
    for row, (grid, found) in zip(axes, results.items()):
        for column, axis in enumerate(row):
            for name, colour, mark in (("syrinx", "#c2410c", "o-"), ("sooperlooper", "#64748b", "s--")):
                values = [float("nan") if marks[column] is None else marks[column] for marks in found[name]]
                axis.plot(list(OFFSETS), values, mark, color=colour, markersize=4, label=name)
            axis.set_title(f"{KINDS[column]}, {grid}")
            axis.grid(alpha=0.3)
        row[0].set_ylabel("takes effect after the beat, ms")
    for axis in axes[1]:
        axis.set_xlabel("press after the beat, ms")
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    node_port, looper_port, *plot = sys.argv[1:]
    node, looper = Program(node_port), Program(looper_port)
    node.send("/metronome/bpm", 120.0)
    node.send("/metronome/on", 1)
    for setting in (("dry", 0.0), ("fade_samples", 0.0), ("sync", 1.0), ("quantize", 1.0),
                    ("overdub_quantized", 1.0)):
        looper.send("/sl/-1/set", *setting)
    looper.send("/set", "sync_source", -3.0)
    looper.send("/set", "tempo", 120.0)
    bench, results = Bench(node, looper), {}
    for grid, unit, eighths in (("beat", BEAT, 2.0), ("bar", BAR, 8.0)):
        looper.send("/set", "eighth_per_cycle", eighths)
        bench.apart = 0
        results[grid] = {name: [] for name in NAMES}
        # First only where the grids are.
        for offsets in [[], *GROUPS]:
            for name, marks in bench.run(unit, grid, offsets).items():
                results[grid][name] += marks
        print(f"quantized to the {grid} of {1000 * unit // RATE} ms")
        table(["press, ms", "program", *KINDS],
              [[str(offset), name, *(shown(mark, unit) for mark in results[grid][name][index])]
               for name in NAMES for index, offset in enumerate(OFFSETS)])
        print()
    print(f"{bench.xruns} xruns; {bench.repeated} runs lost frames and were repeated")
    if plot:
        draw(results, plot[0])


main()
