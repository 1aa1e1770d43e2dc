"""Plots of pitch, formants and stretch."""

import matplotlib.pyplot as plt
import numpy as np

import sounds
from look import BLUE, ENGINES, GREY, ORANGE, STEPS, decibels, in_hertz, thinned
from sounds import RATE


def spectrum(sound, begin=1.0, seconds=2.0):
    """The spectrum of the left channel in a steady part: frequencies and dB; a full sine is 0 dB."""
    part = sound[int(begin * RATE) :][: int(seconds * RATE), 0]
    # Its side lobes are below -120 dB from three bins off a tone.
    window = np.kaiser(len(part), 16)
    levels = np.abs(np.fft.rfft(part * window)) / window.sum() * 2
    return np.fft.rfftfreq(len(part), 1 / RATE), decibels(levels)


def tones(play, plots):
    figure, grid = plt.subplots(2, 2, figsize=(9, 5.6), sharex=True, sharey=True)
    for axes, semitones in zip(grid.flat, (-12, -5, 5, 12)):
        # Without voice: it resynthesizes the partials of a voice, and a sine has none.
        for engine in ("studio", "live"):
            out = play(
                sounds.sine(440, 4), f"/pitch/engine={engine}", f"/pitch/semitones={semitones}"
            )
            frequencies, levels = spectrum(out)
            shown = (frequencies >= 50) & (frequencies <= 20_000)
            curve = thinned(frequencies[shown], levels[shown])
            axes.plot(*curve, color=ENGINES[engine], label=engine, linewidth=1)
        due = 440 * 2 ** (semitones / 12)
        axes.set_title(f"{semitones:+} semitones: expected at {due:.0f} Hz")
        axes.axvline(440, color=GREY, linestyle=":", linewidth=1)
        in_hertz(axes)
        axes.set_ylim(-160, 8)
    grid[0, 0].legend(loc="upper right")
    for axes in grid[1]:
        axes.set_xlabel("frequency, Hz (dots: the input)")
    for axes in grid[:, 0]:
        axes.set_ylabel("level, dB of full scale")
    plots.save(figure, "pitch-tone")


def partials(sound, pitch):
    """The frequencies and levels of a voice's partials."""
    frequencies, levels = spectrum(sound)
    at = np.arange(pitch, 5000, pitch)
    reach = pitch / 4
    return at, np.array([levels[np.abs(frequencies - f) < reach].max() for f in at])


def formants(play, plots):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True)
    sung = sounds.vowel(140, 4)
    higher = 140 * 2 ** (7 / 12)
    left.plot(*partials(sung, 140), ".-", color=GREY, label="as sung, 140 Hz")
    for engine in ("voice", "live"):
        out = play(sung, f"/pitch/engine={engine}", "/pitch/semitones=7")
        left.plot(*partials(out, higher), ".-", color=ENGINES[engine], label=f"{engine}, +7")
    left.set_title("a fifth up: voice keeps the formants, live moves them")
    right.plot(*partials(sung, 140), ".-", color=GREY, label="as sung")
    for shift, colour in ((-5, BLUE), (5, ORANGE)):
        out = play(sung, "/pitch/engine=voice", f"/pitch/formant={shift}")
        right.plot(*partials(out, 140), ".-", color=colour, label=f"/pitch/formant {shift}")
    right.set_title("the same pitch, from a larger and a smaller head")
    for axes in (left, right):
        axes.set_xlabel("frequency of each partial, Hz")
        axes.legend(loc="upper right")
        axes.set_xlim(0, 5000)
    left.set_ylabel("level, dB of full scale")
    left.set_ylim(-75, -8)
    plots.save(figure, "formants")


def chords(play, plots):
    figure, grid = plt.subplots(3, 1, figsize=(9, 6), sharex=True, sharey=True)
    ratio = 2 ** (7 / 12)
    for axes, (engine, colour) in zip(grid, ENGINES.items()):
        out = play(sounds.chord(4), f"/pitch/engine={engine}", "/pitch/semitones=7")
        frequencies, levels = spectrum(out)
        shown = (frequencies >= 200) & (frequencies <= 5000)
        axes.plot(*thinned(frequencies[shown], levels[shown], 700), color=colour, linewidth=1)
        due = {220 * r * k * ratio for r in (1, 5 / 4, 3 / 2) for k in range(1, 9)}
        axes.plot(sorted(due), [0] * len(due), "v", color=GREY, markersize=4)
        axes.set_title(engine)
        axes.set_ylim(-120, 5)
        axes.set_ylabel("level, dB")
        in_hertz(axes, ticks=(200, 500, 1000, 2000, 5000))
    grid[-1].set_xlabel("frequency, Hz (triangles: the expected partials)")
    plots.save(figure, "pitch-chord")


def heard(out, low, high, seconds, size=4096, hop=1200):
    """The playhead in a sweep from low to high, over time; both in seconds."""
    window = np.hanning(size)
    when, what = [], []
    for at in range(0, len(out) - size, hop):
        levels = np.abs(np.fft.rfft(out[at : at + size, 0] * window))
        peak = int(levels[1:-1].argmax()) + 1
        a, b, c = np.log(levels[peak - 1 : peak + 2] + 1e-12)
        if b < np.log(10):
            continue
        frequency = (peak + (a - c) / (2 * (a - 2 * b + c))) * RATE / size
        when.append((at + size / 2) / RATE)
        what.append(np.log(frequency / low) / np.log(high / low) * seconds)
    return np.array(when), np.array(what)


def stretch(play, plots):
    """Plots the lag of the playhead, known from the frequency of a sweep."""
    seconds, low, high = 32, 300.0, 4800.0
    t = sounds.times(seconds)
    speed = np.log(high / low) / seconds
    sweep = sounds.stereo(0.5 * np.sin(2 * np.pi * low * (np.exp(speed * t) - 1) / speed))
    figure, (slow, fast) = plt.subplots(1, 2, figsize=(9, 3.8))
    for axes, rates, colours in (
        (slow, (0.25, 0.5, 0.75), (STEPS[0], STEPS[2], STEPS[4])),
        (fast, (1.25, 2), (STEPS[2], STEPS[4])),
    ):
        for rate, colour in zip(rates, colours):
            out = play(sweep, f"/stretch/rate={rate}@2")
            when, what = heard(out, low, high, seconds)
            behind = when - what
            # A crossfade between two periods of the sound is no jump, but disturbs the estimate.
            padded = np.pad(behind, 2, mode="edge")
            behind = np.median([padded[i : i + len(behind)] for i in range(5)], axis=0)
            # During a jump, two positions overlap, and there is no estimate.
            behind[1:][np.abs(np.diff(behind)) > 0.5] = np.nan
            axes.plot(when, behind, color=colour, label=f"/stretch/rate {rate}")
        axes.set_xlabel("time, s")
        axes.invert_yaxis()
    slow.set_title("slower: falls behind, and jumps to the present")
    slow.set_ylabel("delay, s")
    slow.legend(loc="lower left")
    fast.set_title("faster: starts one second back, and catches up")
    fast.set_xlim(0, 12)
    fast.set_ylim(1.3, -0.1)
    fast.legend(loc="lower right")
    plots.save(figure, "stretch")


def draw(play, plots):
    for each in (tones, formants, chords, stretch):
        each(play, plots)
