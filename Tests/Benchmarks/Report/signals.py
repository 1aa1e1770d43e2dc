"""The input sounds of the effects: mono float32 files at 48 kHz."""

import pathlib
import shutil
import subprocess

import numpy as np
from scipy.io import wavfile
from scipy.signal import butter, resample_poly, sosfiltfilt

RATE = 48_000
FUNDAMENTALS = (82.41, 98.0, 130.81, 196.0, 329.63, 659.26)
# After the fade-in of an effect, and not at a round multiple.
IMPULSES = (12_007, 20_011, 33_013)


def times(seconds):
    return np.arange(int(seconds * RATE)) / RATE


def just_chord(root, ratios, partials):
    """Complex amplitudes by frequency. In just intonation, partials either coincide or are far apart,
    so none beat slowly, and the correct shifted chord is unambiguous."""
    amplitudes = {}
    for ratio in ratios:
        for k in range(1, partials + 1):
            frequency = round(root * ratio * k, 6)
            phase = 0.7 * k * (1 + ratio)
            amplitudes[frequency] = amplitudes.get(frequency, 0) + np.exp(1j * phase) / k
    return amplitudes


MAJOR = just_chord(261.63, (1, 5 / 4, 3 / 2), 8)
MINOR_SEVENTH = just_chord(220.0, (1, 6 / 5, 3 / 2, 9 / 5), 7)


def chord(amplitudes, t):
    return 0.12 * sum(
        abs(a) * np.sin(2 * np.pi * f * t + np.angle(a)) for f, a in amplitudes.items()
    )


def harmonic(fundamental, t):
    """Partials that stay below 10 kHz when shifted up by a fifth; the k-th has an amplitude of 1/k."""
    count = min(12, int(20_000 / 1.5 / fundamental))
    return 0.25 * sum(
        np.sin(2 * np.pi * fundamental * k * t + 0.7 * k) / k for k in range(1, count + 1)
    )


def clicks(seconds):
    sound = np.zeros(int(seconds * RATE))
    sound[RATE // 4 :: RATE // 4] = 0.9
    return sound


def swelling(seconds, generator):
    """A non-repeating loudness, in which a delay can be measured."""
    slow = butter(2, 6, fs=RATE, output="sos")
    wander = sosfiltfilt(slow, generator.standard_normal(int(seconds * RATE)))
    return np.clip(0.5 + wander / (3 * np.std(wander)), 0.02, 1)


def speech(pitch, folder):
    """A sentence by espeak-ng, which raises the pitch without moving the formants."""
    path = folder / f"speech{pitch}.wav"
    sentence = "The quick brown fox jumps over the lazy dog, while many warm winds were humming."
    subprocess.run(
        ["espeak-ng", "-v", "en-us", "-p", str(pitch), "-w", str(path), sentence], check=True
    )
    rate, samples = wavfile.read(path)
    return resample_poly(samples / 32768, RATE, rate)


# A melody as MIDI notes, the errors with which it is sung, in semitones, and the length of a note.
MELODY = (57, 59, 61, 62, 64, 62, 61, 57, 52, 45)
ERRORS = (0.3, -0.25, 0.4, -0.3, 0.2, 0.35, -0.4, 0.1, 0.3, -0.35)
NOTE_SECONDS = 0.8
STEADY_NOTE = 50
# The peaks of the formants of an open vowel in Hz, with their widths and levels.
FORMANTS = ((700, 110, 1.0), (1150, 120, 0.6), (2600, 200, 0.2))


def sung(notes):
    """A synthetic voice with a pitch for each sample, as MIDI notes."""
    hertz = 440 * 2 ** ((notes - 69) / 12)
    turns = np.cumsum(hertz) / RATE
    sound = np.zeros(len(notes))
    for k in range(1, 60):
        at = k * hertz
        if at.min() > 5000:
            break
        gain = 0.12 / k + sum(level / (1 + ((at - peak) / width) ** 2) for peak, width, level in FORMANTS)
        sound += np.where(at < 5000, gain * np.sin(2 * np.pi * k * turns), 0)
    return 0.15 * sound


def sung_melody(errors=ERRORS):
    """The melody with errors in semitones, and a vibrato of 20 cents."""
    t = times(NOTE_SECONDS * len(MELODY))
    index = np.minimum((t / NOTE_SECONDS).astype(int), len(MELODY) - 1)
    notes = np.array(MELODY)[index] + np.array(errors)[index] + 0.2 * np.sin(2 * np.pi * 5.5 * t)
    return sung(notes)


def decaying():
    """Two low strings 3 Hz apart that decay by 60 dB in 6 s, in noise at -70 dBFS."""
    t = times(8)
    beats = 0.75 + 0.25 * np.cos(2 * np.pi * 3 * t)
    noise = 10 ** (-70 / 20) * np.random.default_rng(3).standard_normal(len(t))
    return 0.3 * beats * np.sin(2 * np.pi * 82.4 * t) * 10 ** (-0.5 * t) + noise


def entering():
    """A second of noise at -60 dBFS, then a loud tone."""
    noise = 10 ** (-60 / 20) * np.random.default_rng(4).standard_normal(2 * RATE)
    noise[RATE:] += 0.5 * np.sin(2 * np.pi * 220 * times(1))
    return noise


def make(folder: pathlib.Path):
    """Writes all signals, and returns those available by name."""
    generator = np.random.default_rng(1)
    t, short = times(4), times(2.5)
    sounds = {
        "sine": 0.5 * np.sin(2 * np.pi * 440 * t),
        "alias": 0.5 * np.sin(2 * np.pi * 15_000 * short),
        "major": chord(MAJOR, times(6)),
        "minor7": chord(MINOR_SEVENTH, times(6)),
        "clicks": 0.5 * chord(MAJOR, times(6)) + clicks(6),
        "swelling": 0.5 * swelling(6, generator) * np.sin(2 * np.pi * 440 * times(6)),
        "noise": 0.2 * generator.standard_normal(4 * RATE),
        "sine 10k": 0.5 * np.sin(2 * np.pi * 10_000 * t),
    }
    sounds["sung wrong"] = sung_melody()
    sounds["sung steady"] = sung(np.full(2 * RATE, STEADY_NOTE + 0.3))
    for hertz, note in ((110, 45.3), (440, 69.3)):
        loudness = 1.5 * np.clip(0.5 + 0.3 * swelling(6, generator), 0, 1)
        sounds[f"swelling {hertz}"] = loudness * sung(np.full(6 * RATE, note))
    sounds["decaying"], sounds["entering"] = decaying(), entering()
    for hertz in (40, 100):
        sounds[f"steady {hertz}"] = 0.5 * np.sin(2 * np.pi * hertz * times(5))
    for index, place in enumerate(IMPULSES):
        sounds[f"impulse {index}"] = np.concatenate([np.zeros(place), [1.0], np.zeros(4 * RATE)])
    for fundamental in FUNDAMENTALS:
        sounds[f"tone {fundamental:.0f}"] = harmonic(fundamental, times(3))
    if shutil.which("espeak-ng"):
        for pitch in (50, 80):
            said = speech(pitch, folder)
            sounds[f"speech {pitch}"] = np.concatenate([said, np.zeros(RATE // 2)])
    # For timing: a bit of everything.
    parts = [chord(MAJOR, times(1)), clicks(1), 0.2 * generator.standard_normal(RATE)]
    parts.insert(1, sounds.get("speech 50", sounds["tone 131"])[:RATE])
    sounds["mixed"] = np.concatenate(parts)
    for name, samples in sounds.items():
        samples.astype(np.float32).tofile(folder / f"{name}.f32")
    return sounds
