"""Plots of levels: the limiter, the metronome's click, and spectrograms of all presets."""

import matplotlib.pyplot as plt
import numpy as np

import sounds
from look import BLUE, GREY, ORANGE, decibels, spectrogram
from sounds import RATE


def limiter(play, plots):
    figure, (curve, course) = plt.subplots(1, 2, figsize=(9, 3.6))
    levels = np.arange(-18, 18, 1.5)
    peaks = []
    for level in levels:
        out = play(sounds.sine(997, 1.5), f"/in/gain={level + 6.0206}")
        peaks.append(decibels(np.abs(out[RATE // 2 :]).max()))
    curve.plot(levels, levels, color=GREY, linestyle=":", label="input")
    curve.plot(levels, peaks, ".-", color=BLUE, label="out_1/2")
    curve.set_xlabel("peak before the limiter, dB of full scale")
    curve.set_ylabel("peak after the limiter, dB of full scale")
    curve.set_ylim(-19, 8)
    curve.set_title(f"never above {max(peaks):.1f} dB")
    curve.legend(loc="upper left")
    t = sounds.times(2)
    loud = (t > 0.5) & (t < 0.8)
    tone = np.sin(2 * np.pi * 997 * t) * np.where(loud, 1.0, 0.25)
    before = sounds.stereo(tone)
    out = play(before, "/in/gain=9")
    gained = before[:, 0] * 10 ** (9 / 20)
    hop = 480
    rms = lambda x: np.sqrt(np.add.reduceat(x**2, np.arange(0, len(x), hop)) / hop)
    at = np.arange(0, len(t), hop) / RATE
    course.plot(at, decibels(rms(out[:, 0]) / rms(gained)), color=ORANGE)
    course.axvspan(0.5, 0.8, color=GREY, alpha=0.15, linewidth=0)
    course.set_xlim(0.3, 1.9)
    course.set_title("9 dB too much, for 0.3 s")
    course.set_xlabel("time, s")
    course.set_ylabel("gain reduction, dB")
    plots.save(figure, "limiter")


def clicks(play, plots):
    """The click of the first beat in a bar, which is higher and louder, and of another beat."""
    out = play(np.zeros((RATE * 2, 2)), "/metronome/on=1", "/metronome/beats=3", "/metronome/bpm=120")
    if not np.abs(out).max():
        return
    figure, axes = plt.subplots(figsize=(9, 2.6))
    begin = np.flatnonzero(np.abs(out[:, 0]) > 1e-4)[0]
    for offset, colour, name in ((0, ORANGE, "first beat of the bar"), (RATE // 2, BLUE, "the others")):
        part = out[begin + offset :][: RATE // 50, 0]
        axes.plot(np.arange(len(part))[::2] / RATE * 1000, part[::2], color=colour, linewidth=0.8, label=name)
    axes.set_xlabel("time after the beat, ms")
    axes.set_ylabel("level")
    axes.legend(loc="upper right")
    plots.save(figure, "click")


def presets(play, plots, folder):
    names = sorted(path.stem for path in folder.glob("*.json"))
    seconds = 3.0
    before = sounds.phrase(seconds)
    columns = 4
    rows = -(-(len(names) + 1) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(9.4, 1.45 * rows), sharex=True, sharey=True)
    for axes, name in zip(grid.flat, [None] + names):
        out = before if name is None else play(before, preset=name)
        image = spectrogram(out[: int(seconds * RATE)], size=1024, hop=720)[:172]
        # Steps of 3 dB are hardly visible, and take a third of the bytes.
        image = np.round(image / 3) * 3
        axes.imshow(image, origin="lower", aspect="auto", cmap="magma_r", vmin=-85, vmax=-20,
                    extent=(0, seconds, 0, 172 * RATE / 1024 / 1000), interpolation="nearest")
        axes.set_title(name or "as it comes in", fontsize=8, fontweight="bold" if name is None else "normal")
        axes.grid(False)
        axes.set_xticks((0, 1, 2, 3))
        axes.set_yticks((0, 4, 8))
        axes.tick_params(labelsize=7)
    for axes in grid.flat[len(names) + 1 :]:
        axes.set_visible(False)
    figure.supxlabel("time, s", fontsize=9)
    figure.supylabel("frequency, kHz", fontsize=9)
    plots.save(figure, "presets", "png")


def draw(play, plots, folder):
    limiter(play, plots)
    clicks(play, plots)
    presets(play, plots, folder)
