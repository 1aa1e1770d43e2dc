"""Measures of sounds, in the units of the tables."""

import numpy as np
from scipy.fft import dct
from scipy.signal import butter, hilbert, sosfilt, sosfiltfilt
from scipy.signal.windows import blackmanharris
from scipy.special import erfc

from signals import RATE


def decibels(power):
    return 10 * np.log10(max(power, 1e-30))


def fit(samples, frequencies):
    """The energies of the best fit by sinusoids of these frequencies, and of the residue.

    Solves normal equations: the columns are nearly orthogonal if frequencies differ by more than
    one cycle over the piece."""
    t = (np.arange(len(samples)) - len(samples) / 2) / RATE
    phases = 2 * np.pi * np.outer(np.asarray(frequencies), t)
    basis = np.concatenate([np.cos(phases), np.sin(phases)])
    weights = np.linalg.solve(basis @ basis.T, basis @ samples)
    fitted = weights @ basis
    return np.sum(fitted**2), np.sum((samples - fitted) ** 2)


def tuned(samples, frequencies):
    """The frequencies, up to two cents higher or lower, that fit best in the middle: a hundredth of a
    cent is inaudible, but shifts the phase of upper partials within half a second."""
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
    """The SNR of partials, possibly slightly detuned, in dB. Measured piece by piece, because slow
    phase drift is inaudible."""
    frequencies = tuned(samples, frequencies)
    length = int(seconds * RATE)
    pieces = [
        fit(samples[at : at + length], frequencies)
        for at in range(0, len(samples) - length + 1, length)
    ]
    signal, rest = np.sum(pieces, axis=0)
    return decibels(signal / max(rest, 1e-30))


def sine(samples, expected):
    """A sine's deviation from the expected frequency in cents, and its SNR in dB."""
    window = blackmanharris(len(samples))
    size = 4 * len(samples)
    spectrum = np.abs(np.fft.rfft(samples * window, size))
    hertz = np.fft.rfftfreq(size, 1 / RATE)
    near = np.flatnonzero(np.abs(np.log2(np.maximum(hertz, 1) / expected)) < 1 / 12)
    top = near[np.argmax(spectrum[near])]
    low, middle, high = np.log(spectrum[top - 1 : top + 2] + 1e-20)
    found = (top + 0.5 * (low - high) / (low - 2 * middle + high)) * RATE / size
    # The peak is accurate to some millihertz; the fit refines it.
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
    """The delay of the loudness envelope of `after` relative to `before`, in milliseconds."""
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
    """The duration of 90 % of a click's energy in milliseconds, above 7 kHz, where the chord under it
    has none; the mean over all clicks."""
    above = butter(4, 7000, "highpass", fs=RATE, output="sos")
    energy = sosfiltfilt(above, samples) ** 2
    length = int(period * RATE)
    count = len(energy) // length
    if np.sum(energy) <= 0 or count < 8:
        return np.nan
    # The circular mean of the clicks' position in the period, at which the pieces are centered.
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
    """Whether a sine's pitch changes: a tenth of a turn is far more than filter transients add."""
    phase = phase_around(samples, near)[RATE // 100 : -RATE // 100]
    t = np.linspace(-1, 1, len(phase))
    return bool(np.ptp(phase - np.polyval(np.polyfit(t, phase, 1), t)) > 0.2 * np.pi)


def moving_sine(samples, near):
    """The SNR of a sine with gliding pitch in dB, in pieces of 10 ms with a cubic phase: far slower
    than the errors of coarse interpolation."""
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
    """The maximum second difference in a time span, relative to that in an earlier steady span; both
    as pairs of seconds."""
    def greatest(span):
        piece = samples[int(span[0] * RATE) : int(span[1] * RATE)]
        return np.max(np.abs(np.diff(piece, 2)))

    return float(greatest(during) / max(greatest(before), 1e-12))


# --- Voices

WINDOW, HOP, BANDS = 2048, 240, 40


def mel_bands():
    """Triangular bands of equal width on the mel scale, from 60 Hz to 8 kHz."""
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
    """The distance of two voices' spectral envelopes in dB, along the best alignment."""
    a, b = cepstra(reference), cepstra(samples)
    scale = 10 / np.log(10) / np.sqrt(BANDS)
    costs = scale * np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))
    rows, columns = costs.shape
    band = max(80, abs(rows - columns) + 60)
    infinite = float("inf")
    # Sums and lengths of the best paths to the previous row and to this one.
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
    """The decay time to -60 dB in seconds, from -5 to -35 dB of Schroeder's integral."""
    energy = sum(response**2 for response in responses)
    left = np.cumsum(energy[::-1])[::-1]
    level = 10 * np.log10(left / left[0] + 1e-30)
    begin, end = np.argmax(level < -5), np.argmax(level < -35)
    if end - begin < 100:
        return np.nan
    slope = np.polyfit(np.arange(begin, end) / RATE, level[begin:end], 1)[0]
    return -60 / slope


def echo_density(response):
    """Times and normalized echo densities: 1 for noise (Abel and Huang, 2006)."""
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
    """The first sample within 80 dB of the peak."""
    return int(np.argmax(np.abs(response) > 1e-4 * np.max(np.abs(response))))


def time_to_density(response, enough=0.9):
    """The time from the first sound until the echoes are dense and stay so for 40 ms, in ms at the
    window's center: the first few echoes may be dense by chance."""
    at, density = echo_density(response[onset(response) :])
    going_on = np.convolve(density, np.ones(8) / 8)[7:][: len(density)]
    dense = np.flatnonzero((density > enough) & (going_on > enough))
    return at[dense[0]] * 1000 if len(dense) else np.nan


def flattened(tail):
    """The tail's spectrum without its envelope in dB: noise has a deviation of 5.57 dB."""
    spectrum = 20 * np.log10(np.abs(np.fft.rfft(tail * np.hanning(len(tail)))) + 1e-12)
    hertz = np.fft.rfftfreq(len(tail), 1 / RATE)
    width = 401
    shape = np.convolve(spectrum, np.ones(width) / width, mode="same")
    inside = (hertz > 200) & (hertz < 8000)
    return spectrum - shape, inside


def tail_of(response):
    """One second of the tail from half a second after the onset on, with its decay compensated."""
    tail = response[RATE // 2 : 3 * RATE // 2]
    t = np.arange(len(tail)) / RATE
    time = decay_time(response)
    return tail * 10 ** (3 * t / time) if np.isfinite(time) else tail


def tail_deviation(response):
    rest, inside = flattened(tail_of(response))
    return float(np.std(rest[inside]))


def tail_autocorrelation(response):
    """The highest autocorrelation of the whitened tail from 5 to 200 ms: high for metallic ringing."""
    tail = tail_of(response)
    rest, inside = flattened(tail)
    spectrum = np.where(inside, 10 ** (rest / 10), 0)
    correlation = np.fft.irfft(spectrum)
    correlation /= correlation[0]
    return float(np.max(np.abs(correlation[int(0.005 * RATE) : int(0.2 * RATE)])))


def side_correlation(left, right):
    a, b = tail_of(left), tail_of(right)
    return float(abs(np.sum(a * b)) / np.sqrt(np.sum(a * a) * np.sum(b * b) + 1e-30))
