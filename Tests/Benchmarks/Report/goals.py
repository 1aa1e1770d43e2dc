"""The goals for the node's effects."""

from dataclasses import dataclass

AT_MOST, AT_LEAST = "≤", "≥"


@dataclass
class Goal:
    effect: str
    label: str
    key: str
    relation: str
    limit: float
    unit: str = ""
    digits: int = 2

    def is_met(self, figure):
        if figure is None or figure != figure:
            return False
        # Less than half of the last printed digit is no difference.
        slack = 0.5 * 10**-self.digits
        if self.relation == AT_MOST:
            return figure < self.limit + slack
        return figure > self.limit - slack

    def verdict(self, figure):
        if figure is None or figure != figure:
            return "not measurable"
        if self.is_met(figure):
            return "met"
        return f"missed by {abs(figure - self.limit):.{self.digits}f}"


def most(effect, label, key, limit, unit="", digits=2):
    return Goal(effect, label, key, AT_MOST, limit, unit, digits)


def least(effect, label, key, limit, unit="", digits=1):
    return Goal(effect, label, key, AT_LEAST, limit, unit, digits)


LIVE, VOICE, STUDIO = "Syrinx live", "Syrinx voice", "Syrinx studio"
REVERB, ECHO, TRANSFORM = "Syrinx reverb", "Syrinx echo", "Syrinx FFT"

GOALS = [
    most(LIVE, "latency at 440 Hz, +12", "delay +12", 3.0, "ms"),
    most(LIVE, "latency at 440 Hz, 0", "delay +0", 0.5, "ms"),
    most(LIVE, "latency at 440 Hz, -12", "delay -12", 2.7, "ms"),
    least(LIVE, "tones of 82 to 659 Hz at ±7, mean SNR", "tones", 65, "dB"),
    least(LIVE, "the worst of these", "least tone", 50, "dB"),
    most(LIVE, "aliasing of 15 kHz at +12", "alias", -90, "dB", 1),
    most(LIVE, "cost per frame and channel at +4", "ns +4", 20, "ns", 1),
    most(LIVE, "longest buffer of 64, relative to its period", "longest 64", 0.6, "%"),
    most(LIVE, "longest buffer of 128, relative to its period", "longest 128", 0.5, "%"),
    most(LIVE, "allocations and locks in a sweep", "allocations", 0, "", 0),
    most(VOICE, "formant deviation, p50 to p80 and back", "formants", 3.5, "dB"),
    most(VOICE, "latency of speech at +5.18", "voice delay", 27, "ms", 1),
    most(VOICE, "cost per frame and channel at +4", "ns +4", 60, "ns", 1),
    most(VOICE, "allocations and locks in a sweep", "allocations", 0, "", 0),
    most(STUDIO, "latency at 440 Hz, 0", "delay +0", 43, "ms", 1),
    most(STUDIO, "latency at 440 Hz, +12", "delay +12", 43, "ms", 1),
    most(STUDIO, "latency at 440 Hz, -12", "delay -12", 43, "ms", 1),
    least(STUDIO, "major chord at +7, SNR", "major +7", 41, "dB"),
    least(STUDIO, "major chord at -7, SNR", "major -7", 55, "dB"),
    least(STUDIO, "minor seventh chord at +7, SNR", "minor7 +7", 34, "dB"),
    least(STUDIO, "minor seventh chord at -7, SNR", "minor7 -7", 45, "dB"),
    most(STUDIO, "clicks on a chord, width at +7", "clicks +7", 0.15, "ms"),
    most(STUDIO, "clicks on a chord, width at -7", "clicks -7", 0.15, "ms"),
    most(STUDIO, "cost per frame and channel at +4", "ns +4", 100, "ns", 1),
    most(STUDIO, "longest buffer of 64, relative to the mean", "longest by mean 64", 1.3),
    most(STUDIO, "allocations and locks in a sweep", "allocations", 0, "", 0),
    least(STUDIO, "major chord, 1.25 times as long, SNR", "stretch 1.25", 42, "dB"),
    least(STUDIO, "major chord, 0.8 times as long, SNR", "stretch 0.8", 42, "dB"),
    most(STUDIO, "clicks, 1.25 times as long, width", "stretch clicks 1.25", 0.1, "ms"),
    most(STUDIO, "clicks, 0.8 times as long, width", "stretch clicks 0.8", 0.1, "ms"),
    most(REVERB, "decay time from 125 Hz to 2 kHz, maximum error", "rt error", 3, "%", 1),
    most(REVERB, "echoes dense after", "dense", 20, "ms", 0),
    most(REVERB, "deviation of the tail's spectrum", "deviation", 6.0, "dB"),
    most(REVERB, "tail's autocorrelation", "autocorrelation", 0.12, digits=3),
    most(REVERB, "correlation of left and right", "sides", 0.1, digits=3),
    most(REVERB, "cost per frame, both channels", "ns", 20, "ns", 1),
    most(ECHO, "cost per frame, both channels", "ns", 15, "ns", 1),
    most(ECHO, "roughness of a crossfaded time change", "rough crossfade", 2),
    most(ECHO, "roughness of a gliding time change", "rough glide", 2),
    least(ECHO, "10 kHz while the time glides slowly, SNR", "read", 80, "dB"),
    most(TRANSFORM, "2048 samples, relative to FFTW", "by FFTW", 1.1),
]
