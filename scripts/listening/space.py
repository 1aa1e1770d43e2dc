"""Plots of echo and reverb."""

import matplotlib.pyplot as plt
import numpy as np

import sounds
from look import BLUE, GREY, ORANGE, STEPS, decibels, in_hertz, spectrogram
from sounds import RATE

WET_ECHO = ("/echo/on=1", "/echo/mix=1")
# Silence before a click into the reverb, in seconds: the effect fades in within 10 ms.
BEFORE = 0.1
WET_REVERB = ("/reverb/on=1", "/reverb/mix=1", "/reverb/predelay=0")


def repeats(play, plots):
    """Plots the time, side and level of each repeat: its energy relative to the click's."""
    figure, grid = plt.subplots(3, 2, figsize=(9, 5.4), sharex=True, sharey=True)
    for row, spread in zip(grid, (0, 0.5, 1)):
        for axes, left_only in zip(row, (False, True)):
            out = play(
                sounds.impulse(2.4, left_only=left_only), "/echo/on=1", "/echo/mix=0.5",
                "/echo/time=0.35", "/echo/feedback=0.6", f"/echo/spread={spread}",
            )
            for side, colour, name in ((0, BLUE, "left"), (1, ORANGE, "right")):
                axes.bar([0], [0], color=colour, label=name)
                for k in range(7):
                    begin = int((0.35 * k - 0.01) * RATE)
                    energy = np.sum(out[max(begin, 0) : begin + RATE // 4, side] ** 2)
                    level = 10 * np.log10(energy / 0.25 + 1e-9)
                    if level > -50:
                        place = 0.35 * k + 0.045 * (side - 0.5)
                        axes.bar(place, level + 50, 0.04, bottom=-50, color=colour)
            came = "on the left" if left_only else "in the middle"
            axes.set_title(f"/echo/spread {spread:g}, a click {came}")
            axes.set_xlim(-0.1, 2.3)
            axes.set_ylim(-50, 2)
        row[0].set_ylabel("level, dB")
    grid[0, 1].legend(loc="upper right")
    for axes in grid[-1]:
        axes.set_xlabel("time after the click, s")
    plots.save(figure, "echo-repeats")


def colours(play, plots):
    """Plots the spectra of the first, second, fourth … repeat of a click."""
    out = play(
        sounds.impulse(5), *WET_ECHO, "/echo/time=0.3", "/echo/feedback=0.8",
    )
    figure, axes = plt.subplots(figsize=(9, 3.6))
    for k, colour in zip((1, 2, 4, 8, 12), STEPS):
        begin = int((0.3 * k - 0.002) * RATE)
        levels = decibels(np.fft.rfft(out[begin : begin + 12_000, 0], 1 << 15) / 0.5)
        frequencies = np.fft.rfftfreq(1 << 15, 1 / RATE)
        at = np.geomspace(22, 20_000, 160)
        axes.plot(at, np.interp(at, frequencies, levels), color=colour, label=f"{k}")
    for cut in (80, 6000):
        axes.axvline(cut, color=GREY, linestyle=":", linewidth=1)
    axes.set_ylim(-60, 3)
    in_hertz(axes)
    axes.set_xlabel("frequency, Hz (dots: /echo/lowcut and /echo/tone)")
    axes.set_ylabel("level, dB of the click")
    axes.legend(title="repeat", loc="lower center", ncol=5)
    axes.set_title("each repeat is softer, thinner and duller: /echo/feedback 0.8")
    plots.save(figure, "echo-colour")


def momentary_frequency(sound):
    """The instantaneous frequency of a tone, every 10 ms."""
    spectrum = np.fft.fft(sound)
    frequencies = np.fft.fftfreq(len(sound), 1 / RATE)
    # Without negative frequencies, the phase of the analytic signal advances with the frequency.
    spectrum[frequencies <= 0] = 0
    phase = np.unwrap(np.angle(np.fft.ifft(spectrum)))
    hop = RATE // 100
    turned = np.diff(phase[::hop])
    return np.arange(len(turned)) / 100, turned / (2 * np.pi) * 100


def new_time(play, plots):
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(9, 4.6), sharex=True)
    for glide, colour, name in ((1, ORANGE, "/echo/glide 1"), (0, BLUE, "/echo/glide 0")):
        out = play(
            sounds.sine(447, 5), *WET_ECHO, "/echo/time=0.5", "/echo/feedback=0", "/echo/lowcut=20",
            "/echo/tone=20000", f"/echo/glide={glide}", "/echo/time=0.3@1.5", "/echo/time=0.5@3",
        )[:, 0]
        when, frequency = momentary_frequency(out)
        shown = (when > 1.2) & (when < 4.6)
        upper.plot(when[shown], frequency[shown], color=colour, label=name)
        level = np.array([np.abs(out[int(w * RATE) :][:480]).max() for w in when[shown]])
        lower.plot(when[shown], level / 0.5, color=colour)
    for axes in (upper, lower):
        for moment in (1.5, 3):
            axes.axvline(moment, color=GREY, linestyle=":", linewidth=1)
    upper.set_title("a tone of 447 Hz while the time goes from 0.5 to 0.3 s, and back")
    upper.set_ylabel("frequency, Hz")
    upper.legend(loc="upper right")
    lower.set_ylabel("level, relative to the tone")
    lower.set_ylim(0, 1.6)
    lower.set_xlabel("time, s (dots: the new times)")
    plots.save(figure, "echo-time")


def mixes(play, plots):
    """Plots the dry and the wet level over the mix."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
    at = np.linspace(0, 1, 21)
    dry, wet = [], []
    for mix in at:
        out = play(
            sounds.impulse(0.5), "/echo/on=1", f"/echo/mix={mix}", "/echo/time=0.2",
            "/echo/feedback=0", "/echo/tone=20000", "/echo/lowcut=20",
        )[:, 0]
        dry.append(np.abs(out[:2000]).max() / 0.5)
        wet.append(np.sqrt(np.sum(out[8000:] ** 2)) / 0.5)
    axes[0].plot(at, dry, ".-", color=GREY, label="the sound")
    axes[0].plot(at, wet, ".-", color=ORANGE, label="the effect")
    axes[0].set_title("/echo/mix (and /reverb/mix)")
    dry, wet = [], []
    for mix in at:
        out = play(sounds.sine(440, 2), f"/pitch/mix={mix}", "/pitch/semitones=12")[RATE // 2 :, 0]
        window = np.hanning(len(out))
        levels = np.abs(np.fft.rfft(out * window)) / window.sum() * 2 / 0.5
        frequencies = np.fft.rfftfreq(len(out), 1 / RATE)
        dry.append(levels[np.abs(frequencies - 440) < 5].max())
        wet.append(levels[np.abs(frequencies - 880) < 5].max())
    axes[1].plot(at, dry, ".-", color=GREY, label="the sound")
    axes[1].plot(at, wet, ".-", color=BLUE, label="an octave higher")
    axes[1].set_title("/pitch/mix")
    for each in axes:
        each.set_xlabel("mix")
        each.legend(loc="lower center")
    axes[0].set_ylabel("level, relative to the input")
    plots.save(figure, "mix")


def room(play, seconds, *settings):
    """The reverb's impulse response, from the click on."""
    out = play(sounds.impulse(seconds + BEFORE, before=BEFORE), *WET_REVERB, *settings)
    return out[int(BEFORE * RATE) :]


def band(sound, low, high):
    """A sound limited to a frequency band."""
    # Padding at the end takes the filter's pre-ringing.
    length = len(sound) + RATE
    spectrum = np.fft.rfft(sound, length, axis=0)
    frequencies = np.fft.rfftfreq(length, 1 / RATE)
    place = np.log2(np.maximum(frequencies, 1))
    # The band edges are smooth, so that the filter does not ring longer than the room.
    beyond = np.maximum(np.log2(low) - place, place - np.log2(high)) * 6
    gain = np.cos(np.clip(beyond + 0.5, 0, 1) * np.pi / 2)
    return np.fft.irfft(spectrum * gain[:, None], length, axis=0)[: len(sound)]


def energy_decay(sound):
    """The energy decay curve: the remaining energy, in dB relative to the total."""
    left = np.cumsum(np.sum(sound**2, axis=1)[::-1])[::-1]
    return 10 * np.log10(np.maximum(left / left[0], 1e-14))


def falling_time(sound):
    """The decay time to -60 dB in seconds, from the slope between -5 and -35 dB."""
    curve = energy_decay(sound)
    used = np.flatnonzero((curve <= -5) & (curve >= -35))
    slope = np.polyfit(used / RATE, curve[used], 1)[0]
    return -60 / slope


def decays(play, plots):
    figure, axes = plt.subplots(figsize=(9, 3.8))
    for decay, colour in zip((0.5, 2, 8), (STEPS[0], STEPS[2], STEPS[4])):
        out = room(play, 12, f"/reverb/decay={decay}", "/reverb/damping=20000")
        out = band(out, 125, 2000)
        curve = energy_decay(out[: 10 * RATE])
        at = np.arange(0, 10 * RATE, 1200)
        shown = curve[at] > -75
        axes.plot(at[shown] / RATE, curve[at][shown], color=colour,
                  label=f"/reverb/decay {decay:g}: measured {falling_time(out):.2f} s")
        axes.plot([decay], [-60], "o", color=colour)
    axes.axhline(-60, color=GREY, linestyle=":", linewidth=1)
    axes.set_ylim(-75, 2)
    axes.set_xlim(0, 9)
    axes.set_xlabel("time after a click, s (dots: /reverb/decay)")
    axes.set_ylabel("remaining energy, dB")
    axes.set_title("a click's reverb from 125 Hz to 2 kHz")
    axes.legend(loc="upper right")
    plots.save(figure, "reverb-decay")


def damping(play, plots):
    figure, axes = plt.subplots(figsize=(9, 3.6))
    centres = 1000 * 2 ** (np.arange(-11, 13) / 3)
    for damping, colour in zip((1500, 6000, 20_000), (STEPS[4], STEPS[2], STEPS[0])):
        out = room(play, 6, "/reverb/decay=2", f"/reverb/damping={damping}")
        found = [
            falling_time(band(out, centre / 2 ** (1 / 6), centre * 2 ** (1 / 6)))
            for centre in centres
        ]
        axes.plot(centres, found, ".-", color=colour, label=f"/reverb/damping {damping}")
        axes.axvline(damping, color=colour, linestyle=":", linewidth=1)
    axes.set_ylim(0, 2.5)
    in_hertz(axes, ticks=(100, 200, 500, 1000, 2000, 5000, 10_000, 20_000))
    axes.set_xlabel("frequency, Hz")
    axes.set_ylabel("decay time to -60 dB, s")
    axes.set_title("/reverb/decay 2: half as long at /reverb/damping (dots), a third far above")
    axes.legend(loc="lower left")
    plots.save(figure, "reverb-damping")


def sizes(play, plots):
    figure, grid = plt.subplots(3, 1, figsize=(9, 5), sharex=True)
    for axes, size in zip(grid, (0, 0.5, 1)):
        out = room(play, 1, f"/reverb/size={size}", "/reverb/decay=2")
        part = out[: RATE // 4, 0].reshape(-1, 48)
        peak = np.abs(part).max(axis=1) / np.abs(out).max()
        axes.fill_between(np.arange(len(peak)), peak, color=BLUE, linewidth=0)
        axes.set_title(f"/reverb/size {size:g}")
        axes.set_ylabel("level")
        axes.set_ylim(0, 1)
        axes.set_xlim(0, 250)
    grid[-1].set_xlabel("time after a click, ms")
    plots.save(figure, "reverb-size")


def reverb_picture(play, plots):
    out = room(play, 2.5, "/reverb/decay=2", "/reverb/damping=6000")
    image = spectrogram(out, hop=480)
    image = np.round((image - image.max()) / 3) * 3
    figure, axes = plt.subplots(figsize=(9, 3.6))
    shown = axes.imshow(image, origin="lower", aspect="auto", cmap="magma_r", vmin=-90, vmax=0,
                        extent=(0, 2.5, 0, 24), interpolation="nearest")
    axes.grid(False)
    axes.set_xlabel("time after a click, s")
    axes.set_ylabel("frequency, kHz")
    figure.colorbar(shown, label="level, dB of the loudest")
    plots.save(figure, "reverb-picture", "png")


def draw(play, plots):
    for each in (repeats, colours, new_time, mixes, decays, damping, sizes, reverb_picture):
        each(play, plots)
