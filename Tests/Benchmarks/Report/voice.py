"""The measures of gates, compressors and pitch correction."""

import numpy as np

import measures
import signals
from signals import RATE

THRESHOLD = -35


def gate_quality(tool, name, sounds):
    """Chatter on decaying strings, and the opening for a tone in noise."""
    figures = {}
    sound = sounds["decaying"]
    out = tool.render(name, "decaying", f"threshold={THRESHOLD}")[0][: len(sound)]
    # The gain, a hundred times a second, where there is sound.
    frame = RATE // 100
    count = len(sound) // frame
    inner = np.sqrt(np.mean(sound[: count * frame].reshape(count, frame) ** 2, 1)) + 1e-9
    outer = np.sqrt(np.mean(out[: count * frame].reshape(count, frame) ** 2, 1)) + 1e-12
    gain = 20 * np.log10(outer / inner)
    # Rises by more than 1 dB after a fall by more than 1 dB, once it has opened.
    turns, top, bottom, falls = 0, -200.0, -200.0, False
    for value in gain[20:]:
        top = max(top, value)
        if not falls and value < top - 1:
            falls, bottom = True, value
        if falls:
            bottom = min(bottom, value)
            if value > bottom + 1:
                turns, falls, top = turns + 1, False, value
    figures["chatter"] = turns
    # A loud tone after noise: how long its gain is below 0.9.
    sound = sounds["entering"]
    out = tool.render(name, "entering", f"threshold={THRESHOLD}")[0][: len(sound)]
    start = RATE
    loud = np.abs(sound[start : start + RATE // 10]) > 0.1
    ratio = np.ones(len(loud))
    ratio[loud] = out[start : start + len(loud)][loud] / sound[start : start + len(loud)][loud]
    closed = np.flatnonzero(ratio < 0.9)
    figures["opening"] = (closed[-1] + 1) / RATE * 1e3 if len(closed) else 0.0
    return figures


def level_quality(tool, name):
    """The residue of steady tones, and the gains of two levels."""
    figures = {}
    for hertz in (100, 40):
        out = tool.render(name, f"steady {hertz}")[0]
        figures[f"residue {hertz}"] = -measures.sine(out[4 * RATE : 5 * RATE], hertz)[1]
    return figures


def pitch_over_time(sound, note, length=2400, step=240):
    """The pitch of the fundamental near a note, in semitones from it."""
    hertz = 440 * 2 ** ((note - 69) / 12)
    shifted = sound * np.exp(-2j * np.pi * hertz * np.arange(len(sound)) / RATE)
    window = np.hanning(length)
    base = np.convolve(shifted, window / window.sum(), "valid")[::step]
    turns = np.angle(base[1:] * np.conj(base[:-1])) / (2 * np.pi) * RATE / step
    return 12 * np.log2(np.maximum(hertz + turns, 1) / hertz)


def tune_quality(tool, name, sounds):
    figures = {}
    out = tool.render(name, "sung wrong")[0]
    off, wrong = [], 0
    for index, note in enumerate(signals.MELODY):
        # From 0.2 s into each note, with room for the delay.
        start = int((index * signals.NOTE_SECONDS + 0.25) * RATE)
        end = int((index + 1) * signals.NOTE_SECONDS * RATE)
        found = np.abs(pitch_over_time(out[start:end], note)) * 100
        off.append(found)
        wrong += float(np.mean(found > 50)) > 0.1
    off = np.concatenate(off)
    figures["cents"] = float(np.mean(off))
    figures["cents 95"] = float(np.percentile(off, 95))
    figures["wrong notes"] = wrong
    for hertz in (110, 440):
        figures[f"tune delay {hertz}"] = measures.delay(
            sounds[f"swelling {hertz}"], tool.render(name, f"swelling {hertz}")[0])
    still = tool.render(name, "sung steady")[0][RATE : 2 * RATE]
    figures["steady"] = float(np.max(np.abs(pitch_over_time(still, signals.STEADY_NOTE)))) * 100
    return figures


def harmony_quality(tool, name, sounds):
    """The latency of the harmonies."""
    return {
        f"harmony delay {hertz}": measures.delay(
            sounds[f"swelling {hertz}"], tool.render(name, f"swelling {hertz}")[0])
        for hertz in (110, 440)
    }


def cost(tool, name, signal, *settings):
    figures = {}
    for block in (128, 64):
        timed = tool.time(name, signal, *settings, block=block)
        figures[f"longest {block}"] = timed["longest_percent"]
        if block == 128:
            figures["ns"] = timed["ns_per_frame"]
    return figures
