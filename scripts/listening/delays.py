"""Measures how late the pitch engines are, and prints a table: `scripts/latency` runs it.

`syrinx render` takes off what the effects delay with the settings of the beginning. So a sound
begins there with the pitch as it is, which delays nothing; from a second on it is changed, and
what it is late by from then on is what the change delays."""

import argparse

import numpy as np

import sounds

parser = argparse.ArgumentParser()
parser.add_argument("--program", required=True)
parser.add_argument("rates", type=int, nargs="+")
arguments = parser.parse_args()
play = sounds.Player(arguments.program)


def swelling(pitch, rate, seconds=8):
    """A sung a whose loudness wanders without repeating, so that a delay shows in it."""
    t = np.arange(int(seconds * rate)) / rate
    swell = sum(np.sin(2 * np.pi * f * t + 9 * f) for f in (1.3, 2.1, 3.7, 5.3, 7.9))
    voice = sum(
        sounds.vowel_level(pitch * k) * np.sin(2 * np.pi * pitch * k * t + 1.9 * k * k)
        for k in range(1, int(6000 / pitch))
    )
    level = np.clip(0.5 + 0.25 * swell, 0.02, 1)
    return sounds.stereo(0.2 * voice / np.max(np.abs(voice)) * level)


def loudness(sound, rate):
    """How loud it is at each moment, 8000 a second, without its partials."""
    spectrum = np.fft.rfft(sound[:, 0] ** 2)
    # Soft, and below the lowest voice.
    spectrum *= np.exp(-((np.fft.rfftfreq(len(sound), 1 / rate) / 25) ** 2))
    samples = np.sqrt(np.maximum(np.fft.irfft(spectrum, len(sound)), 0))
    at = np.arange(0, len(samples) - 1, rate / LOOKS)
    return np.interp(at, np.arange(len(samples)), samples)


def later(sound, reference):
    """By how many seconds a loudness is later than another, at the best match."""
    middle = slice(2 * LOOKS, len(reference) - LOOKS)
    lags = np.arange(-LOOKS // 10, LOOKS // 10)
    match = [
        np.corrcoef(reference[middle], sound[middle.start + lag : middle.stop + lag])[0, 1]
        for lag in lags
    ]
    return lags[int(np.argmax(match))] / LOOKS


# Moments of loudness a second.
LOOKS = 8000
PITCHES = (-12, -5, 0, 5, 12)

print("How late a sung sound is, in ms, by its pitch, the engine, and /pitch/semitones:\n")
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
