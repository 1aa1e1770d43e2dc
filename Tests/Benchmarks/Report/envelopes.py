"""How well formants are preserved while the pitch changes: envelopes before and after."""

import numpy as np
import soundfile
from scipy.signal import lfilter

import shelf
import trips
from signals import RATE

R3_FORMANTS = "Rubber Band R3 -F"
EFFECTS = (trips.VOICE, R3_FORMANTS, trips.R3)
SHIFTS = [trips.Change(semitones) for semitones in (4, -4, 7, -7)]

# Recordings of one voice at a time.
VOICES = [r for r in shelf.RECORDINGS if r.name in ("Front Center", "a11wlk01", "voice")]
# Formants and their widths in Hz, and the pitch in Hz.
VOWELS = {
    f"vowel {name}, {pitch} Hz": (pitch, formants)
    for name, formants in (
        ("a", ((730, 90), (1090, 110), (2440, 170), (3400, 250))),
        ("i", ((270, 60), (2290, 150), (3010, 200), (3600, 250))),
    )
    for pitch in (110, 220)
}

# The cepstral cutoff of the envelope in seconds: it shows no partials of pitches up to 500 Hz.
QUEFRENCY = 0.001
LOWEST, HIGHEST = 200, 5000
FRAME, HOP = 2048, 480
# Frames this far below the loudest are not compared, nor are parts this far below the peak of their
# frame's envelope, in dB: they are inaudible.
QUIET, BURIED = 30, 50


def vowel(pitch, formants, seconds=2):
    """Glottal pulses with some vibrato, through one filter per formant."""
    time = np.arange(int(seconds * RATE)) / RATE
    cycles = np.cumsum(pitch * (1 + 0.01 * np.sin(2 * np.pi * 5 * time))) / RATE
    samples = np.zeros(len(time))
    # Partials up to 10 kHz, with a glottal slope.
    for number in range(1, int(10_000 / pitch)):
        samples += np.cos(2 * np.pi * number * cycles) / (1 + (number * pitch / 150) ** 2)
    for hertz, width in formants:
        radius = np.exp(-np.pi * width / RATE)
        poles = [1, -2 * radius * np.cos(2 * np.pi * hertz / RATE), radius**2]
        samples = lfilter([sum(poles)], poles, samples)
    samples *= 0.5 / np.max(np.abs(samples))
    fade = np.minimum(1, np.minimum(time, time[::-1]) / 0.02)
    silence = [np.zeros(int(seconds * RATE)) for seconds in (shelf.BEFORE, shelf.AFTER)]
    return np.concatenate([silence[0], samples * fade, silence[1]])


def sounds(folder):
    """The sounds by name."""
    found = {r.name: shelf.load(r, folder, soundfile.read) for r in VOICES}
    return found | {name: vowel(*parameters) for name, parameters in VOWELS.items()}


def shifted(effect, change, samples, program):
    if effect != R3_FORMANTS:
        return trips.changed(effect, change, samples, program)

    def command(before, after):
        words = trips.command(trips.R3, change, before, after, program)
        return [*words[:-2], "-F", *words[-2:]]

    return trips.through(command, samples)


def frames(samples):
    count = (len(samples) - FRAME) // HOP
    return np.stack([samples[n * HOP : n * HOP + FRAME] for n in range(count)]) * np.hanning(FRAME)


def envelopes(pieces):
    """The true envelope of each frame in dB, iterated until no partial exceeds it; see Axel Röbel and
    Xavier Rodet (2005)."""
    heights = np.log(np.abs(np.fft.rfft(pieces, axis=1)) + 1e-7)
    kept = int(QUEFRENCY * RATE)
    over = heights
    for _ in range(60):
        cepstrum = np.fft.irfft(over, axis=1)
        cepstrum[:, kept + 1 : FRAME - kept] = 0
        smooth = np.fft.rfft(cepstrum, axis=1).real
        over = np.maximum(heights, smooth)
    return 20 / np.log(10) * smooth


def loudness(samples):
    return np.convolve(samples**2, np.hanning(480), mode="same")[::48] ** 0.5


def lag(before, after):
    """The delay of the loudness envelope in frames, up to 50 ms."""
    a, b = loudness(before), loudness(trips.late(after, 0, len(before)))
    steps = range(-50, 51)
    return 48 * max(steps, key=lambda step: float(np.sum(a * trips.late(b, step, len(a)))))


def distance(before, after):
    """The distance of envelopes in dB RMS from 200 Hz to 5 kHz, without the level difference, over the
    audible frames."""
    after = trips.late(after, lag(before, after), len(before))
    a, b = frames(before), frames(after)
    levels = 10 * np.log10(np.sum(a**2, axis=1) + 1e-12)
    heard = levels > levels.max() - QUIET
    low, high = (hertz * FRAME // RATE for hertz in (LOWEST, HIGHEST))
    first, second = (envelopes(pieces[heard])[:, low:high] for pieces in (a, b))
    counted = first > first.max(axis=1, keepdims=True) - BURIED
    difference = np.where(counted, second - first, 0)
    means = difference.sum(axis=1, keepdims=True) / counted.sum(axis=1, keepdims=True)
    difference = np.where(counted, difference - means, 0)
    return float(np.sqrt(np.sum(difference**2) / np.sum(counted)))


def measured(job):
    effect, change, name, samples, program = job
    return (effect, change, name), distance(samples, shifted(effect, change, samples, program))


def jobs(folder, program, shifts):
    return [
        (effect, change, name, samples, program)
        for name, samples in sounds(folder).items() for change in shifts for effect in EFFECTS
    ]


def rows(results):
    """One row per sound with the mean over all shifts, and one per shift with that over all sounds."""
    names = list(dict.fromkeys(name for _, _, name in results))
    shifts = list(dict.fromkeys(change for _, change, _ in results))

    def row(label, chosen):
        return [label, *(f"{np.mean([results[e, c, n] for c, n in chosen]):.2f}" for e in EFFECTS)]

    by_name = [row(name, [(change, name) for change in shifts]) for name in names]
    by_shift = [row(str(change), [(change, name) for name in names]) for change in shifts]
    every = [(change, name) for change in shifts for name in names]
    return [*by_name, *by_shift, row("mean", every)]


def closer(results):
    """The mean by which the node's engine is closer than R3 preserving formants, in dB."""
    beside = [
        results[R3_FORMANTS, change, name] - distance
        for (effect, change, name), distance in results.items() if effect == trips.VOICE
    ]
    return float(np.mean(beside))
