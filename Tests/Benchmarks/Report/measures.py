"""What is measured of a sound, in the units that the table has."""

import numpy as np
from scipy.fft import dct
from scipy.signal import butter, hilbert, sosfilt, sosfiltfilt
from scipy.signal.windows import blackmanharris
from scipy.special import erfc

from signals import RATE


def decibels(power):
    return 10 * np.log10(max(power, 1e-30))


def fit(samples, frequencies):
    """The best fit by sinusoids of these frequencies: its energy and the rest's.

    By normal equations: the columns are near orthogonal wherever frequencies differ by more
    than a period of the piece."""
    t = (np.arange(len(samples)) - len(samples) / 2) / RATE
    phases = 2 * np.pi * np.outer(np.asarray(frequencies), t)
    basis = np.concatenate([np.cos(phases), np.sin(phases)])
    weights = np.linalg.solve(basis @ basis.T, basis @ samples)
    fitted = weights @ basis
    return np.sum(fitted**2), np.sum((samples - fitted) ** 2)


def tuned(samples, frequencies):
    """The frequencies, up to two cents higher or lower, that fit best in the middle: nobody hears
    a hundredth of a cent, but over half a second it is the phase of the upper partials."""
    frequencies = np.asarray(frequencies)
    middle = len(samples) // 2
    piece = samples[middle - RATE // 4 : middle + RATE // 4]
    cents, width = 0.0, 2.0
    while width > 0.005:
        tried = cents + width * np.linspace(-1, 1, 7)
        rests = [fit(piece, frequencies * 2 ** (step / 1200))[1] for step in tried]
        cents = tried[int(np.argmin(rests))]
        width /= 2.5
    return frequencies * 2 ** (cents / 1200)


def snr_of_partials(samples, frequencies, seconds=0.5):
    """How far the partials, a little out of tune or not, stand above all else, in dB, piece by
    piece, since nobody hears a phase that drifts slowly."""
    frequencies = tuned(samples, frequencies)
    length = int(seconds * RATE)
    pieces = [
        fit(samples[at : at + length], frequencies)
        for at in range(0, len(samples) - length + 1, length)
    ]
    signal, rest = np.sum(pieces, axis=0)
    return decibels(signal / max(rest, 1e-30))


def sine(samples, expected):
    """A sine's distance from the expected frequency, in cents, and its SNR, in dB."""
    window = blackmanharris(len(samples))
    size = 4 * len(samples)
    spectrum = np.abs(np.fft.rfft(samples * window, size))
    hertz = np.fft.rfftfreq(size, 1 / RATE)
    near = np.flatnonzero(np.abs(np.log2(np.maximum(hertz, 1) / expected)) < 1 / 12)
    top = near[np.argmax(spectrum[near])]
    low, middle, high = np.log(spectrum[top - 1 : top + 2] + 1e-20)
    found = (top + 0.5 * (low - high) / (low - 2 * middle + high)) * RATE / size
    # The peak is right to some millihertz; the rest is for the fit to find.
    width = 0.05
    while width > 1e-6:
        tried = found + width * np.linspace(-1, 1, 9)
        rests = [fit(samples, [frequency])[1] for frequency in tried]
        found = tried[int(np.argmin(rests))]
        width /= 3
    signal, rest = fit(samples, [found])
    return 1200 * np.log2(found / expected), decibels(signal / max(rest, 1e-30))


def envelope(samples, cutoff=60):
    smooth = butter(2, cutoff, fs=RATE, output="sos")
    return np.sqrt(np.maximum(sosfiltfilt(smooth, samples**2), 0))


def delay(before, after, most=0.3):
    """By how many milliseconds the loudness of `after` follows that of `before`."""
    step = 8
    a, b = envelope(before)[::step], envelope(after)[::step]
    lead, reach = 40, int(most * RATE / step)
    begin = int(0.5 * RATE / step)
    end = min(len(a), len(b)) - reach - 1
    reference = a[begin:end] - np.mean(a[begin:end])
    scores = []
    for lag in range(-lead, reach):
        other = b[begin + lag : end + lag]
        other = other - np.mean(other)
        scores.append(reference @ other / np.sqrt(np.sum(other**2) + 1e-30))
    top = int(np.clip(np.argmax(scores), 1, len(scores) - 2))
    low, middle, high = scores[top - 1 : top + 2]
    bend = low - 2 * middle + high
    fraction = 0.5 * (low - high) / bend if bend else 0
    return (top - lead + fraction) * step / RATE * 1000


def click_width(samples, period=0.25):
    """Within how many milliseconds 90 % of a click's energy lies, above 7 kHz, where the chord
    beneath it has nothing; the mean of all clicks."""
    above = butter(4, 7000, "highpass", fs=RATE, output="sos")
    energy = sosfiltfilt(above, samples) ** 2
    length = int(period * RATE)
    count = len(energy) // length
    if np.sum(energy) <= 0 or count < 8:
        return np.nan
    # Where in the period the clicks lie, on its circle, so that each is cut in its middle.
    folded = np.sum(energy[2 * length : (count - 1) * length].reshape(-1, length), axis=0)
    turn = np.angle(np.sum(folded * np.exp(2j * np.pi * np.arange(length) / length)))
    place = int(turn / (2 * np.pi) * length) % length
    widths = []
    for index in range(3, count - 2):
        start = index * length + place - length // 2
        share = np.cumsum(energy[start : start + length])
        if share[-1] <= 0:
            continue
        share /= share[-1]
        widths.append(np.searchsorted(share, 0.95) - np.searchsorted(share, 0.05))
    return float(np.mean(widths)) / RATE * 1000


def phase_around(samples, near):
    around = butter(4, [near * 0.85, near * 1.15], "bandpass", fs=RATE, output="sos")
    return np.unwrap(np.angle(hilbert(sosfiltfilt(around, samples))))


def bends(samples, near):
    """Whether a sine's pitch changes: a tenth of a turn is far more than any filter's end adds."""
    phase = phase_around(samples, near)[RATE // 100 : -RATE // 100]
    t = np.linspace(-1, 1, len(phase))
    return bool(np.ptp(phase - np.polyval(np.polyfit(t, phase, 1), t)) > 0.2 * np.pi)


def moving_sine(samples, near):
    """How far a sine whose pitch glides stands above all else, in dB, in pieces of 10 ms whose
    phase a cubic follows: far slower than what a coarse reading between samples adds."""
    phase = phase_around(samples, near)
    length = RATE // 100
    signal = rest = 0.0
    for start in range(length, len(samples) - 2 * length, length):
        piece = slice(start, start + length)
        t = np.linspace(-1, 1, length)
        angle = np.polyval(np.polyfit(t, phase[piece], 3), t)
        basis = np.stack([np.cos(angle), np.sin(angle)])
        weights = np.linalg.solve(basis @ basis.T, basis @ samples[piece])
        fitted = weights @ basis
        signal += np.sum(fitted**2)
        rest += np.sum((samples[piece] - fitted) ** 2)
    return decibels(signal / max(rest, 1e-30))


def roughness(samples, before, during):
    """The greatest second difference in one stretch of time, over that in a steady one before;
    both as pairs of seconds."""
    def greatest(span):
        piece = samples[int(span[0] * RATE) : int(span[1] * RATE)]
        return np.max(np.abs(np.diff(piece, 2)))

    return float(greatest(during) / max(greatest(before), 1e-12))


# --- Voices

WINDOW, HOP, BANDS = 2048, 240, 40


def mel_bands():
    """Triangles of equal width on the mel scale, from 60 Hz to 8 kHz."""
    mel = np.linspace(2595 * np.log10(1 + 60 / 700), 2595 * np.log10(1 + 8000 / 700), BANDS + 2)
    edges = 700 * (10 ** (mel / 2595) - 1)
    hertz = np.fft.rfftfreq(WINDOW, 1 / RATE)
    rising = (hertz - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(np.minimum(rising, falling), 0)


def cepstra(samples):
    """Mel cepstra C1 to C13 of the frames within 40 dB of the loudest."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP]
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW), axis=1)) ** 2
    loud = power.sum(axis=1) > 1e-4 * power.sum(axis=1).max()
    bands = power[loud] @ mel_bands().T
    floor = 1e-5 * bands.max(axis=1, keepdims=True)
    return dct(np.log(np.maximum(bands, floor) + 1e-12), type=2, axis=1, norm="ortho")[:, 1:14]


def envelope_distance(reference, samples):
    """How far two voices' spectral envelopes are apart, in dB, along the best alignment."""
    a, b = cepstra(reference), cepstra(samples)
    scale = 10 / np.log(10) / np.sqrt(BANDS)
    costs = scale * np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))
    rows, columns = costs.shape
    band = max(80, abs(rows - columns) + 60)
    infinite = float("inf")
    # Sums and lengths of the best ways to the row before and to this one.
    before = [(0.0, 0)] + [(infinite, 0)] * columns
    for i in range(rows):
        now = [(infinite, 0)] * (columns + 1)
        row = costs[i].tolist()
        middle = i * columns // rows
        for j in range(max(0, middle - band), min(columns, middle + band)):
            total, length = min(before[j], before[j + 1], now[j])
            now[j + 1] = (total + row[j], length + 1)
        before = now
    total, length = before[columns]
    return total / length


# --- Reverbs

OCTAVES = (125, 250, 500, 1000, 2000, 4000, 8000)


def band(samples, centre):
    octave = butter(4, [centre / 2**0.5, centre * 2**0.5], "bandpass", fs=RATE, output="sos")
    return sosfilt(octave, samples)


def decay_time(*responses):
    """The time in which they decay by 60 dB, from -5 to -35 dB of Schroeder's integral."""
    energy = sum(response**2 for response in responses)
    left = np.cumsum(energy[::-1])[::-1]
    level = 10 * np.log10(left / left[0] + 1e-30)
    begin, end = np.argmax(level < -5), np.argmax(level < -35)
    if end - begin < 100:
        return np.nan
    slope = np.polyfit(np.arange(begin, end) / RATE, level[begin:end], 1)[0]
    return -60 / slope


def echo_density(response):
    """Times and normalised echo densities: 1 for noise (Abel and Huang, 2006)."""
    length = int(0.02 * RATE)
    window = np.hanning(length)
    window /= window.sum()
    found = []
    for start in range(0, RATE, RATE // 200):
        piece = response[start : start + length]
        deviation = np.sqrt(np.sum(window * piece**2))
        outside = np.sum(window * (np.abs(piece) > deviation))
        found.append(outside / erfc(2**-0.5) if deviation > 1e-12 else 0)
    return np.arange(len(found)) / 200 + 0.01, np.array(found)


def onset(response):
    """The first sample within 80 dB of the greatest."""
    return int(np.argmax(np.abs(response) > 1e-4 * np.max(np.abs(response))))


def time_to_density(response, enough=0.9):
    """How long after the first sound the echoes are dense and go on so for the next 40 ms, in
    ms, at the window's middle: a few first echoes can lie close together by themselves."""
    at, density = echo_density(response[onset(response) :])
    going_on = np.convolve(density, np.ones(8) / 8)[7:][: len(density)]
    dense = np.flatnonzero((density > enough) & (going_on > enough))
    return at[dense[0]] * 1000 if len(dense) else np.nan


def flattened(tail):
    """The tail's spectrum without its coarse shape, in dB: 5.57 dB of deviation for noise."""
    spectrum = 20 * np.log10(np.abs(np.fft.rfft(tail * np.hanning(len(tail)))) + 1e-12)
    hertz = np.fft.rfftfreq(len(tail), 1 / RATE)
    width = 401
    shape = np.convolve(spectrum, np.ones(width) / width, mode="same")
    inside = (hertz > 200) & (hertz < 8000)
    return spectrum - shape, inside


def tail_of(response):
    """Half a second after the onset on, a second long, its decay undone."""
    tail = response[RATE // 2 : 3 * RATE // 2]
    t = np.arange(len(tail)) / RATE
    time = decay_time(response)
    return tail * 10 ** (3 * t / time) if np.isfinite(time) else tail


def tail_deviation(response):
    rest, inside = flattened(tail_of(response))
    return float(np.std(rest[inside]))


def tail_autocorrelation(response):
    """The greatest peak from 5 to 200 ms of the whitened tail: what a metallic ring has."""
    tail = tail_of(response)
    rest, inside = flattened(tail)
    spectrum = np.where(inside, 10 ** (rest / 10), 0)
    correlation = np.fft.irfft(spectrum)
    correlation /= correlation[0]
    return float(np.max(np.abs(correlation[int(0.005 * RATE) : int(0.2 * RATE)])))


def side_correlation(left, right):
    a, b = tail_of(left), tail_of(right)
    return float(abs(np.sum(a * b)) / np.sqrt(np.sum(a * a) * np.sum(b * b) + 1e-30))
