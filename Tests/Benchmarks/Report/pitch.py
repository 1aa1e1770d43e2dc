"""The measures of pitch shifters and time stretchers."""

import numpy as np

import measures
from signals import FUNDAMENTALS, MAJOR, MINOR_SEVENTH, RATE
from tool import KEEPS_FORMANTS, STRETCH

# From espeak-ng's pitch 50 to its pitch 80.
VOICE_STEP = 5.18


def cut(samples, begin, end=None):
    return samples[int(begin * RATE) : None if end is None else int(end * RATE)]


def quality(tool, name, kinds, sounds):
    figures = {}

    def shifted(signal, semitones, *more):
        return tool.render(name, signal, f"semitones={semitones}", *more)[0]

    for semitones in (12, 0, -12):
        after = shifted("swelling", semitones)
        figures[f"delay {semitones:+d}"] = measures.delay(sounds["swelling"], after)
        figures[f"told {semitones:+d}"] = tool.told_delay(name, "swelling", f"semitones={semitones}")
    for semitones in (12, 7, -12):
        sound = cut(shifted("sine", semitones), 1, 3.5)
        cents, snr = measures.sine(sound, 440 * 2 ** (semitones / 12))
        figures[f"cents {semitones:+d}"], figures[f"sine {semitones:+d}"] = cents, snr

    tones = []
    for fundamental in FUNDAMENTALS:
        for semitones in (7, -7):
            sound = cut(shifted(f"tone {fundamental:.0f}", semitones), 0.9, 2.9)
            ratio = 2 ** (semitones / 12)
            partials = [k * fundamental * ratio for k in range(1, 13)]
            partials = [f for f in partials if f < 20_000 * min(ratio, 1)]
            tones.append(measures.snr_of_partials(sound, partials))
    figures["tones"], figures["least tone"] = float(np.mean(tones)), min(tones)

    # An octave above 15 kHz is inaudible: all output is aliasing.
    before, after = cut(sounds["alias"], 1, 2.4), cut(shifted("alias", 12), 1, 2.4)
    figures["alias"] = measures.decibels(np.sum(after**2) / np.sum(before**2))

    for chord, partials in (("major", MAJOR), ("minor7", MINOR_SEVENTH)):
        for semitones in (7, -7):
            expected = [f * 2 ** (semitones / 12) for f in partials]
            sound = cut(shifted(chord, semitones), 1, 5.5)
            figures[f"{chord} {semitones:+d}"] = measures.snr_of_partials(sound, expected)
    for semitones in (7, -7):
        figures[f"clicks {semitones:+d}"] = measures.click_width(shifted("clicks", semitones))

    if kinds & KEEPS_FORMANTS and "speech 50" in sounds:
        distances = []
        for source, target, step in ((50, 80, VOICE_STEP), (80, 50, -VOICE_STEP)):
            after = shifted(f"speech {source}", step, "formants=1")
            distances.append(measures.envelope_distance(sounds[f"speech {target}"], after))
            if step > 0:
                figures["voice delay"] = measures.delay(sounds["speech 50"], after)
        figures["formants"] = float(np.mean(distances))

    if kinds & STRETCH:
        for ratio in (1.25, 0.8):
            sound = cut(tool.stretch(name, "major", ratio), 1.3, 3.6)
            figures[f"stretch {ratio}"] = measures.snr_of_partials(sound, list(MAJOR))
            sound = cut(tool.stretch(name, "clicks", ratio), 1)
            figures[f"stretch clicks {ratio}"] = measures.click_width(sound, 0.25 * ratio)
    return figures


def cost(tool, name):
    figures = {}
    for semitones in (4, 12, -12):
        timed = tool.time(name, "mixed", f"semitones={semitones}")
        # Measured for two channels; the figure is per channel.
        figures[f"ns {semitones:+d}"] = timed["ns_per_frame"] / 2
        if semitones == 4:
            figures["longest 128"] = timed["longest_percent"]
            figures["longest by mean 128"] = timed["longest_by_mean"]
    timed = tool.time(name, "mixed", "semitones=4", block=64)
    figures["longest 64"] = timed["longest_percent"]
    figures["longest by mean 64"] = timed["longest_by_mean"]
    swept = tool.sweep(name, "mixed")
    figures["allocations"] = swept["allocations"] + swept["locks"]
    figures["longest in sweep"] = swept["longest_percent"]
    return figures
