"""Measures the latency of the pitch engines and prints a table; run by `scripts/latency`.

`syrinx render` compensates the latency of the initial settings. So each sound starts with the
pitch unchanged, at zero latency. The pitch changes after a second, and the delay from then on is
the latency of the engine."""

import argparse

import numpy as np

import sounds

parser = argparse.ArgumentParser()
parser.add_argument("--program", required=True)
parser.add_argument("rates", type=int, nargs="+")
arguments = parser.parse_args()
play = sounds.Player(arguments.program)


def swelling(pitch, rate, seconds=8):
    """A sung "a" with a non-repeating loudness, in which a delay can be measured."""
    t = np.arange(int(seconds * rate)) / rate
    swell = sum(np.sin(2 * np.pi * f * t + 9 * f) for f in (1.3, 2.1, 3.7, 5.3, 7.9))
    voice = sum(
        sounds.vowel_level(pitch * k) * np.sin(2 * np.pi * pitch * k * t + 1.9 * k * k)
        for k in range(1, int(6000 / pitch))
    )
    level = np.clip(0.5 + 0.25 * swell, 0.02, 1)
    return sounds.stereo(0.2 * voice / np.max(np.abs(voice)) * level)


def loudness(sound, rate):
    """The loudness envelope, at 8000 samples per second, without the partials."""
    spectrum = np.fft.rfft(sound[:, 0] ** 2)
    # A Gaussian low-pass, below the lowest voice.
    spectrum *= np.exp(-((np.fft.rfftfreq(len(sound), 1 / rate) / 25) ** 2))
    samples = np.sqrt(np.maximum(np.fft.irfft(spectrum, len(sound)), 0))
    at = np.arange(0, len(samples) - 1, rate / LOOKS)
    return np.interp(at, np.arange(len(samples)), samples)


def later(sound, reference):
    """The delay of an envelope relative to another in seconds, at the highest correlation."""
    middle = slice(2 * LOOKS, len(reference) - LOOKS)
    lags = np.arange(-LOOKS // 10, LOOKS // 10)
    match = [
        np.corrcoef(reference[middle], sound[middle.start + lag : middle.stop + lag])[0, 1]
        for lag in lags
    ]
    return lags[int(np.argmax(match))] / LOOKS


# Envelope samples per second.
LOOKS = 8000
PITCHES = (-12, -5, 0, 5, 12)

print("Latency of a sung sound in ms, by its pitch, the engine, and /pitch/semitones:\n")
print("rate     sung at  engine  " + "".join(f"{semitones:>+8}" for semitones in PITCHES))
for rate in arguments.rates:
    for pitch in (110, 220, 440):
        sound = swelling(pitch, rate)
        reference = loudness(sound, rate)
        for engine in ("live", "voice", "studio") if pitch == 220 else ("live",):
            row = []
            for semitones in PITCHES:
                change = f"/pitch/engine={engine}@1", f"/pitch/semitones={semitones}@1"
                row.append(1000 * later(loudness(play(sound, *change, rate=rate), rate), reference))
            cells = "".join(f"{value:8.1f}" for value in row)
            print(f"{rate:<8} {pitch:<8} {engine:<7} {cells}", flush=True)
