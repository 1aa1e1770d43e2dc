"""Round trips: recordings with pitch or time changed and changed back, and their ratings."""

import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

import numpy as np
import soundfile
import visqol
import zimtohrli

from signals import RATE

# The range of lags to search, in ms: a mere delay is no audible error.
FARTHEST = 20
LIVE, VOICE, STUDIO = "Syrinx live", "Syrinx voice", "Syrinx studio"
R2, R3, SOUNDTOUCH = "Rubber Band R2", "Rubber Band R3", "SoundTouch"
EFFECTS = (LIVE, VOICE, STUDIO, R3, R2, SOUNDTOUCH)


@dataclass(frozen=True)
class Change:
    """A change of pitch in semitones, or of length as a ratio."""

    semitones: float = 0
    ratio: float = 1

    @property
    def back(self):
        return Change(-self.semitones, 1 / self.ratio)

    def __str__(self):
        return f"{self.semitones:+g}" if self.ratio == 1 else f"x {self.ratio:g}"


SHIFTS = [Change(semitones) for semitones in (3, -3, 7, -7, 12, -12)]
STRETCHES = [Change(ratio=ratio) for ratio in (1.25, 0.8)]


def command(effect, change, before, after, program):
    if effect.startswith("Syrinx"):
        settings = {
            "/pitch/engine": effect.split()[1], "/pitch/semitones": change.semitones,
            "/stretch/rate": 1 / change.ratio,
        }
        words = [f"--set={address}={value}" for address, value in settings.items()]
        return [program, "render", before, after, *words, "--tail", "0"]
    if effect == SOUNDTOUCH:
        return ["soundstretch", before, after, f"-pitch={change.semitones:g}",
                f"-tempo={100 / change.ratio - 100:g}"]
    engine = "-3" if effect == R3 else "-2"
    return ["rubberband", "-q", "--realtime", engine, "-p", str(change.semitones),
            "-t", str(change.ratio), before, after]


def through(command, samples, subtype="FLOAT"):
    """Samples after a program; `command` returns its words for the files before and after."""
    with tempfile.TemporaryDirectory() as name:
        before, after = (str(pathlib.Path(name) / f"{side}.wav") for side in ("before", "after"))
        soundfile.write(before, samples, RATE, subtype=subtype)
        subprocess.run(
            command(before, after), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return soundfile.read(after, always_2d=True)[0][:, 0]


def changed(effect, change, samples, program):
    # SoundTouch's tool can't read floats.
    return through(
        lambda before, after: command(effect, change, before, after, program), samples,
        "PCM_24" if effect == SOUNDTOUCH else "FLOAT")


def late(samples, frames, length):
    """`length` samples from `frames` on; a negative number prepends silence."""
    if frames < 0:
        samples = np.concatenate([np.zeros(-frames), samples])
    piece = samples[max(frames, 0) :][:length]
    return np.pad(piece, (0, length - len(piece)))


def best_lag(before, after):
    """The lag in frames, within 20 ms, with Zimtohrli's best rating, and that rating, from 1 to 5.
    Tries the lag of the highest correlation and steps of 5 ms, then steps of half the size around
    the best so far."""
    farthest = FARTHEST * RATE // 1000
    heard = {}

    def hear(lag):
        if lag not in heard and abs(lag) <= farthest:
            heard[lag] = zimtohrli.mos_from_signals(
                before.astype(np.float32), late(after, lag, len(before)).astype(np.float32))

    size = 1 << (len(before) + len(after)).bit_length()
    correlation = np.fft.irfft(np.fft.rfft(after, size) * np.conj(np.fft.rfft(before, size)), size)
    near = np.concatenate([correlation[-farthest:], correlation[: farthest + 1]])
    hear(int(np.argmax(near)) - farthest)
    step = RATE // 200
    for lag in range(-farthest, farthest + 1, step):
        hear(lag)
    while step > RATE // 5000:
        step //= 2
        best = max(heard, key=heard.get)
        hear(best - step)
        hear(best + step)
    best = max(heard, key=heard.get)
    return best, heard[best]


def by_pitch(samples):
    """The level at each tenth of a semitone from 60 Hz on, without the spectral envelope."""
    size = 1 << 19
    spectrum = np.abs(np.fft.rfft(samples, size)) ** 0.5
    hertz = 60 * 2 ** (np.arange(900) / 120)
    # Averaged over the bins between two points.
    sums = np.concatenate([[0], np.cumsum(spectrum)])
    edges = (np.concatenate([hertz, [hertz[-1] * 2 ** (1 / 120)]]) * size / RATE).astype(int)
    heights = np.diff(sums[edges]) / np.diff(edges)
    heights = np.convolve(heights, np.hanning(7) / 3, mode="same")
    return heights - np.convolve(heights, np.ones(61) / 61, mode="same")


def moved(before, after):
    """The shift of the spectrum in semitones, to a tenth."""
    a, b = by_pitch(before), by_pitch(after)
    most = 150

    def alike(step):
        x, y = (a[: len(a) - step], b[step:]) if step >= 0 else (a[-step:], b[: len(b) + step])
        return np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y) + 1e-30)

    return max(range(-most, most + 1), key=alike) / 10


def level(samples):
    return 10 * np.log10(np.sum(samples**2) + 1e-30)


JUDGE = None


def visqol_score(before, after):
    global JUDGE
    if JUDGE is None:
        JUDGE = visqol.VisqolApi()
        JUDGE.create(mode="audio")
    return float(JUDGE.measure_from_arrays(before, after, RATE).moslqo)


def journey(effect, change, samples, program):
    """The figures of a round trip, and its sound."""
    there = changed(effect, change, samples, program)
    back = changed(effect, change.back, there, program)
    lag, heard = best_lag(samples, back)
    aligned = late(back, lag, len(samples))
    figures = {
        "zimtohrli": heard,
        "visqol": visqol_score(samples, aligned),
        # Errors of the way there: a shifter without effect would have the best round trips.
        "pitch": moved(samples, there) - change.semitones,
        "length": (len(there) - len(samples) * change.ratio) / RATE * 1000,
        "level": level(there) - level(samples) - 10 * np.log10(change.ratio),
    }
    return figures, aligned
