"""Plots of gate, compressor, pitch correction and harmonies."""

import matplotlib.pyplot as plt
import numpy as np

import sounds
from look import BLUE, GREEN, GREY, ORANGE, STEPS, decibels
from sounds import RATE

# A phrase in D major: notes with the cents that they are off, and a slide up to the last one.
PHRASE = ((62, 35), (66, -40), (69, 30), (67, 45), (66, -35), (64, 40))
NOTE, SLIDE = 0.5, 0.6
KEY = ("/grid/root=D", "/grid/scale=major", "/pitch/on=0")
NAMES = {1: "C♯", 2: "D", 4: "E", 6: "F♯", 7: "G", 9: "A", 11: "B"}


def sung_pitch():
    """The pitch of the phrase in semitones: with vibrato, and a slide at the end."""
    t = sounds.times(NOTE * len(PHRASE) + SLIDE + NOTE)
    pitch = np.zeros(len(t))
    for number, (note, cents) in enumerate(PHRASE):
        pitch[t >= number * NOTE] = note + cents / 100
    begin, (note, cents) = NOTE * len(PHRASE), PHRASE[-1]
    along = np.clip((t - begin) / SLIDE, 0, 1)
    pitch[t >= begin] = (note + (71 - note) * along + cents / 100)[t >= begin]
    # A singer's way from note to note takes 40 ms.
    width = int(0.04 * RATE)
    padded = np.pad(pitch, width, mode="edge")
    pitch = np.convolve(padded, np.hanning(width) / np.hanning(width).sum(), "same")[width:-width]
    return pitch + 0.2 * np.sin(2 * np.pi * 5.5 * t)


def hertz(pitch):
    return 440 * 2 ** ((pitch - 69) / 12)


def phrase():
    """The sung phrase, after 0.1 s of silence."""
    voice = sounds.sung(hertz(sung_pitch()), 15)
    voice *= np.minimum(1, np.minimum(np.arange(len(voice)), np.arange(len(voice))[::-1]) / 960)
    return sounds.stereo(np.concatenate([np.zeros(RATE // 10), 0.3 * voice / np.abs(voice).max()]))


def found_pitch(sound, low=60.0, high=80.0, hop=480, size=2400):
    """The pitch over time, in seconds and semitones, from the autocorrelation; NaN without one."""
    mono = sound[:, 0]
    when, what = [], []
    shortest, longest = (int(RATE / hertz(edge)) for edge in (high, low))
    window = np.hanning(size)
    correlation = lambda part: np.fft.irfft(np.abs(np.fft.rfft(part, 2 * size)) ** 2)[: longest + 2]
    # The window itself correlates less at longer lags.
    own = correlation(window)
    for at in range(0, len(mono) - size, hop):
        power = correlation(mono[at : at + size] * window)
        curve = power / own
        when.append((at + size / 2) / RATE)
        most = curve[shortest : longest + 1].max()
        if power[0] < 1e-3 or most < 0.6 * curve[0]:
            what.append(np.nan)
            continue
        # Of two lags that are about as likely, the shorter one is the period.
        lag = shortest + int(np.argmax(curve[shortest : longest + 1] > 0.9 * most))
        while lag <= longest and curve[lag + 1] > curve[lag]:
            lag += 1
        before, middle, after = curve[lag - 1 : lag + 2]
        offset = 0.5 * (before - after) / (before - 2 * middle + after)
        what.append(69 + 12 * np.log2(RATE / (lag + offset) / 440))
    return np.array(when), np.array(what)


def scale_lines(axes, low, high):
    notes = [note for note in range(int(low) + 1, int(high) + 1) if note % 12 in NAMES]
    axes.set_yticks(notes, [NAMES[note % 12] for note in notes])
    axes.set_ylim(low, high)
    axes.set_xlabel("time, s")


def tune(play, plots):
    voice = phrase()
    as_sung = found_pitch(voice)
    figure, grid = plt.subplots(1, 3, figsize=(9.4, 3.4), sharey=True)
    for axes, speed, title in zip(
        grid, (0, 20, 300), ("/tune/speed 0: from note to note", "20: clean", "300: slides remain slides")
    ):
        out = play(voice, *KEY, "/tune/on=1", f"/tune/speed={speed}")
        axes.plot(*as_sung, color=GREY, label="as sung")
        axes.plot(*found_pitch(out), color=BLUE, label="corrected")
        axes.set_title(title)
        scale_lines(axes, 61.3, 71.7)
    grid[0].legend(loc="upper left")
    plots.save(figure, "tune")


def harmonies(play, plots):
    voice = phrase()
    figure, axes = plt.subplots(figsize=(9.4, 3.4))
    settings = (*KEY, "/tune/on=1")
    alone = play(voice, *settings)
    axes.plot(*found_pitch(voice), color=GREY, label="as sung")
    axes.plot(*found_pitch(alone), color=BLUE, label="corrected")
    for interval, colour in (("3rdUp", ORANGE), ("6thDown", GREEN)):
        both = play(voice, *settings, f"/harmony/1/interval={interval}", "/harmony/1/on=1")
        # Their difference is the harmony alone.
        low, high = (64, 76) if interval == "3rdUp" else (52, 66)
        axes.plot(*found_pitch(both - alone, low, high), color=colour, label=interval)
    scale_lines(axes, 51.3, 76.3)
    axes.set_title("in D major, a third is major or minor as the key requires")
    axes.legend(loc="upper left", ncols=4)
    plots.save(figure, "harmonies")


def strip(play, plots):
    figure, (gate, curve) = plt.subplots(1, 2, figsize=(9.4, 3.4))
    generator = np.random.default_rng(3)
    t = sounds.times(2.4)
    # Two strings that beat as they decay, over noise.
    strings = sum(
        0.15 * np.sin(2 * np.pi * hertz * np.maximum(0, t - 0.3)) * np.exp(-3 * np.maximum(0, t - 0.3)) * (t > 0.3)
        for hertz in (220.0, 222.5)
    )
    noisy = sounds.stereo(strings + 0.001 * generator.standard_normal(len(t)))
    gated = play(noisy, "/pitch/on=0", "/gate/on=1", "/gate/threshold=-35", "/gate/hold=0.1")
    hop = 240
    peak = lambda sound: decibels(np.maximum.reduceat(np.abs(sound[:, 0]), np.arange(0, len(t), hop)))
    at = np.arange(0, len(t), hop) / RATE
    gate.plot(at, peak(noisy), color=GREY, label="input")
    gate.plot(at, peak(gated), color=BLUE, label="gated")
    gate.axhline(-35, color=ORANGE, linestyle=":", label="threshold")
    gate.set_ylim(-110, -5)
    gate.set_title("the gate stays open while strings beat, and closes with them")
    gate.set_xlabel("time, s")
    gate.set_ylabel("peak, dB of full scale")
    gate.legend(loc="upper right")
    levels = np.arange(-60, 1, 3)
    curve.plot(levels, levels, color=GREY, linestyle=":", label="off")
    for amount, colour in zip((0.25, 0.5, 1), STEPS[1::2]):
        heard = []
        for level in levels:
            tone = sounds.sine(500, 1.0, level=10 ** (level / 20))
            out = play(tone, "/pitch/on=0", "/level/on=1", f"/level/amount={amount}")
            heard.append(decibels(np.abs(out[RATE // 2 :]).max()))
        curve.plot(levels, heard, ".-", color=colour, label=f"/level/amount {amount:g}")
    curve.set_title("-12 dB keeps its level at every amount")
    curve.set_xlabel("peak of the input, dB of full scale")
    curve.set_ylabel("peak after it")
    curve.legend(loc="lower right")
    plots.save(figure, "strip")


def draw(play, plots):
    strip(play, plots)
    tune(play, plots)
    harmonies(play, plots)
