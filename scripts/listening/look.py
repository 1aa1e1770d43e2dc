"""The style of all plots, and reproducible output: the same bytes each time."""

import re

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, NullFormatter

BLUE, ORANGE, GREEN, GREY = "#1d4ed8", "#c2410c", "#15803d", "#64748b"
# From light to dark, for ordered curves.
STEPS = ("#f59e0b", "#ea580c", "#be123c", "#7e22ce", "#3730a3", "#0f172a")
ENGINES = {"live": BLUE, "voice": ORANGE, "studio": GREEN}

plt.rcParams.update(
    {
        "axes.grid": True,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "figure.facecolor": "white",
        "font.family": "sans-serif",
        "font.size": 9,
        "grid.alpha": 0.3,
        "legend.fontsize": 8,
        "legend.frameon": False,
        "lines.linewidth": 1.3,
        "savefig.facecolor": "white",
        # Seeds the ids of shapes in the file, which are random otherwise.
        "svg.hashsalt": "syrinx",
        # Text as text: smaller, searchable, and readable by screen readers.
        "svg.fonttype": "none",
    }
)


def decibels(values, floor=-160.0):
    return 20 * np.log10(np.maximum(np.abs(values), 10 ** (floor / 20)))


def in_hertz(axes, which="x", ticks=(50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)):
    """Sets a logarithmic frequency axis, with thousands written as k."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    axis.set_ticks(ticks)
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / 1000:g}k" if v >= 1000 else f"{v:g}"))
    axis.set_minor_formatter(NullFormatter())


def thinned(frequencies, levels, points=420):
    """The maximum level in each of `points` logarithmic bands: the visible part of a spectrum, in a
    fraction of its bytes."""
    edges = np.geomspace(frequencies[0], frequencies[-1] * 1.0001, points + 1)
    found = np.digitize(frequencies, edges)
    kept = np.unique(found)
    first = np.searchsorted(found, kept)
    return frequencies[first], np.maximum.reduceat(levels, first)


def spectrogram(sound, size=1024, hop=240):
    """The spectrogram of the mean of both channels in dB, by frequency (rows) and time (columns)."""
    mono = np.concatenate([np.zeros(size // 2), sound.mean(axis=1), np.zeros(size)])
    window = np.hanning(size)
    columns = [
        np.abs(np.fft.rfft(mono[at : at + size] * window)) / window.sum() * 2
        for at in range(0, len(mono) - size, hop)
    ]
    return decibels(np.array(columns).T)


class Plots:
    """The output folder of the plots."""

    def __init__(self, folder):
        self.folder = folder

    def save(self, figure, name, form="svg"):
        figure.tight_layout()
        path = self.folder / f"plot-{name}.{form}"
        metadata = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
        figure.savefig(path, dpi=100, metadata=metadata)
        plt.close(figure)
        if form == "svg":
            # Digits below a tenth of a pixel and trailing blanks are invisible.
            path.write_text(shorter(path.read_text()))
        print(path)


def shorter(text):
    lines = (line.rstrip() for line in text.splitlines())
    number = re.compile(r"-?\d+\.\d{3,}")
    out = []
    for line in lines:
        # Only coordinates of curves: transforms and styles keep all digits.
        if re.match(r"^(<path d=\")?[ML] ", line):
            line = number.sub(lambda n: f"{float(n[0]):.2f}".rstrip("0").rstrip("."), line)
        out.append(line)
    return "\n".join(out) + "\n"
