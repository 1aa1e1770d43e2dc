"""The recordings whose pitch and time are changed, from Debian packages with free licenses."""

import math
import pathlib
from dataclasses import dataclass

import numpy as np
from scipy.signal import resample_poly

from signals import RATE

# The maximum length of a piece, and the silence around it, in seconds.
LONGEST, BEFORE, AFTER = 3.0, 0.1, 0.25

SONIC_PI = "usr/share/sonic-pi/samples"
LMMS = "usr/share/lmms/samples"
SINGULARITY = "usr/share/games/singularity/music"

# Their packages, and the licenses of these.
PACKAGES = {
    "alsa-utils": "GPL-2", "lmms-common": "GPL-2+", "puredata-doc": "BSD",
    "singularity-music": "CC-BY-SA", "sonic-pi-samples": "CC0", "supercollider-common": "GPL",
}

KINDS = ("speech, singing", "drums", "plucked", "bowed, blown", "chords", "mixes")


@dataclass(frozen=True)
class Recording:
    name: str
    kind: str
    path: str
    # The start of the piece, in seconds.
    begin: float = 0


RECORDINGS = [
    Recording("Front Center", KINDS[0], "usr/share/sounds/alsa/Front_Center.wav"),
    Recording("a11wlk01", KINDS[0], "usr/share/SuperCollider/sounds/a11wlk01.wav"),
    Recording("voice", KINDS[0], "usr/share/puredata/doc/sound/voice.wav"),
    Recording("ambi_choir", KINDS[0], f"{SONIC_PI}/ambi_choir.flac"),
    Recording("loop_amen", KINDS[1], f"{SONIC_PI}/loop_amen.flac"),
    Recording("loop_breakbeat", KINDS[1], f"{SONIC_PI}/loop_breakbeat.flac"),
    Recording("loop_tabla", KINDS[1], f"{SONIC_PI}/loop_tabla.flac"),
    Recording("loop_perc1", KINDS[1], f"{SONIC_PI}/loop_perc1.flac"),
    Recording("loop_industrial", KINDS[1], f"{SONIC_PI}/loop_industrial.flac"),
    Recording("guit_em9", KINDS[2], f"{SONIC_PI}/guit_em9.flac"),
    Recording("guit_e_slide", KINDS[2], f"{SONIC_PI}/guit_e_slide.flac"),
    Recording("latin_guitar01", KINDS[2], f"{LMMS}/latin/latin_guitar01.ogg"),
    Recording("steel_guitar01", KINDS[2], f"{LMMS}/instruments/steel_guitar01.ogg"),
    Recording("flute01", KINDS[3], f"{LMMS}/instruments/flute01.ogg"),
    Recording("cello01", KINDS[3], f"{LMMS}/instruments/cello01.ogg"),
    Recording("trumpet01", KINDS[3], f"{LMMS}/instruments/trumpet01.ogg"),
    Recording("violin_double_stop01", KINDS[3], f"{LMMS}/instruments/violin_double_stop01.ogg"),
    Recording("latin_brass01", KINDS[3], f"{LMMS}/latin/latin_brass01.ogg"),
    Recording("ambi_piano", KINDS[4], f"{SONIC_PI}/ambi_piano.flac"),
    Recording("guit_e_fifths", KINDS[4], f"{SONIC_PI}/guit_e_fifths.flac"),
    Recording("church_organ01", KINDS[4], f"{LMMS}/instruments/church_organ01.ogg"),
    Recording("ambi_drone", KINDS[4], f"{SONIC_PI}/ambi_drone.flac"),
    Recording("loop_safari", KINDS[5], f"{SONIC_PI}/loop_safari.flac", 1),
    Recording("loop_compus", KINDS[5], f"{SONIC_PI}/loop_compus.flac", 1),
    Recording("Awakening", KINDS[5], f"{SINGULARITY}/Awakening.ogg", 30),
    Recording("Nebula", KINDS[5], f"{SINGULARITY}/Nebula.ogg", 40),
    Recording("Media Threat", KINDS[5], f"{SINGULARITY}/Media Threat.ogg", 35),
]


def load(recording, folder: pathlib.Path, read):
    """A mono piece of a recording at 48 kHz, with a peak of 0.5 and faded ends; `read` returns the
    samples and the sample rate of a file."""
    samples, rate = read(str(folder / recording.path), always_2d=True)
    begin = int(recording.begin * rate)
    piece = samples.mean(1)[begin : begin + int(LONGEST * rate)]
    shared = math.gcd(rate, RATE)
    piece = resample_poly(piece, RATE // shared, rate // shared)
    piece *= 0.5 / np.max(np.abs(piece))
    # Fades, because an abrupt start or end would be rated as a click.
    fade = np.sin(np.pi / 2 * np.arange(960) / 960) ** 2
    piece[:960] *= fade
    piece[-960:] *= fade[::-1]
    silence = [np.zeros(int(seconds * RATE)) for seconds in (BEFORE, AFTER)]
    return np.concatenate([silence[0], piece, silence[1]])
