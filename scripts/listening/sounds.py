"""Test sounds, and rendering them through the node."""

import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

RATE = 48_000


def times(seconds):
    return np.arange(int(seconds * RATE)) / RATE


def stereo(mono):
    return np.stack([mono, mono], axis=1)


def impulse(seconds, before=0.0, level=0.5, left_only=False):
    """A single sample in silence, at a level below the limiter's threshold."""
    sound = np.zeros((int(seconds * RATE), 2))
    sound[int(before * RATE), : 1 if left_only else 2] = level
    return sound


def sine(frequency, seconds, level=0.5):
    return stereo(level * np.sin(2 * np.pi * frequency * times(seconds)))


def chord(seconds, root=220.0):
    """A major chord in just intonation, of tones with eight partials each."""
    t = times(seconds)
    tones = (root * ratio for ratio in (1, 5 / 4, 3 / 2))
    return stereo(
        0.08 * sum(np.sin(2 * np.pi * f * k * t + 0.7 * k) / k for f in tones for k in range(1, 9))
    )


# The formants of an "a": center frequencies and bandwidths in Hz.
FORMANTS = (
    (730, 90), (1090, 110), (2440, 170), (3400, 250), (4500, 300), (5500, 400), (6500, 500),
    (7500, 600),
)


def vowel_level(frequency):
    """The level of a partial of the vowel: a source that falls by 6 dB per octave, and resonances."""
    level = 100.0 / frequency
    for centre, width in FORMANTS:
        level = level * centre**2 / np.hypot(centre**2 - frequency**2, frequency * width)
    return level


def vowel(pitch, seconds):
    """A sung "a" at a steady pitch."""
    t = times(seconds)
    partials = np.arange(pitch, 8000, pitch)
    levels = vowel_level(partials)
    sound = sum(
        level * np.sin(2 * np.pi * f * t + 1.9 * k * k)
        for k, (f, level) in enumerate(zip(partials, levels))
    )
    return stereo(0.35 * sound / np.max(np.abs(sound)))


def sung(pitch, count):
    """A vowel of `count` partials whose pitch in Hz changes, one value per sample."""
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    return sum(
        vowel_level(pitch * k) * np.sin(phase * k + 1.9 * k * k) for k in range(1, count + 1)
    )


def phrase(seconds):
    """Two sung syllables, one falling and one rising, each after a hiss; then silence."""
    generator = np.random.default_rng(7)
    t = times(seconds)
    sound = np.zeros(len(t))
    for begin, length, low, high in ((0.06, 0.5, 170, 130), (0.74, 0.6, 120, 190)):
        part = (t >= begin) & (t < begin + length)
        along = (t[part] - begin) / length
        pitch = low + (high - low) * along
        voice = sung(pitch, 39)
        swell = np.minimum(1, np.minimum(along, 1 - along) / 0.12)
        sound[part] += voice * swell / np.max(np.abs(voice))
        hiss = (t >= begin - 0.06) & (t < begin)
        noise = np.diff(generator.standard_normal(np.count_nonzero(hiss) + 1))
        sound[hiss] += 0.12 * noise * np.hanning(len(noise))
    return stereo(0.4 * sound)


def write(path, sound, rate=RATE):
    """Writes a WAV file of floats, so that the node's output is in floats, too."""
    data = sound.astype("<f4").tobytes()
    form = struct.pack("<HHIIHH", 3, 2, rate, rate * 8, 8, 32)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)


def read(path):
    """Reads the samples of a WAV file of floats, as written by `write` and the node."""
    content, at = path.read_bytes(), 12
    while at < len(content):
        name, size = content[at : at + 4], struct.unpack_from("<I", content, at + 4)[0]
        if name == b"data":
            return np.frombuffer(content, "<f4", size // 4, at + 8).reshape(-1, 2).astype(float)
        at += 8 + size + size % 2
    sys.exit(f"{path} contains no samples")


class Player:
    """Renders sounds through `syrinx render`."""

    def __init__(self, program):
        self.program = program

    def __call__(self, sound, *settings, preset=None, rate=RATE):
        """Returns the output for settings such as "/echo/on=1", as long as the input."""
        with tempfile.TemporaryDirectory() as folder:
            before, after = pathlib.Path(folder, "in.wav"), pathlib.Path(folder, "out.wav")
            write(before, sound, rate)
            command = [self.program, "render", before, after, "--home", folder]
            # As on stage: without look-ahead.
            command += ["--live", "--tail", "0"]
            command += ["--preset", preset] if preset else []
            for setting in settings:
                command += ["--set", setting]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                sys.exit(f"syrinx render {' '.join(settings)}: {done.stdout.decode()}")
            return read(after)
