"""The plots of the report on recordings."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import soundfile

import shelf
from plots import OUR_COLOUR, PEER_COLOUR, save
from signals import RATE
from trips import EFFECTS, R3, STUDIO


def scores(results, changes, folder):
    """Each recording's mean over all trips, one column per effect, ours in our color."""
    figure, axes = plt.subplots(figsize=(9, 5))
    for place, effect in enumerate(EFFECTS):
        means = [
            np.mean([results[effect, change, recording]["zimtohrli"] for change in changes])
            for recording in shelf.RECORDINGS
        ]
        colour = OUR_COLOUR if effect.startswith("Syrinx") else PEER_COLOUR
        # Side by side if they are equal.
        aside = 0.3 * (np.arange(len(means)) / (len(means) - 1) - 0.5)
        axes.scatter(place + aside, means, color=colour, s=18)
        axes.hlines(np.mean(means), place - 0.3, place + 0.3, color=colour, linewidth=2)
    axes.set_xticks(range(len(EFFECTS)), EFFECTS)
    axes.set_ylabel("Zimtohrli, 1 to 5")
    axes.set_title("Round trips: one point per recording; the line is their mean")
    axes.grid(axis="y", alpha=0.3)
    save(figure, folder, "recordings")


def spectrogram(axes, samples, title):
    axes.specgram(
        samples + 1e-9, NFFT=1024, Fs=RATE, noverlap=768, vmin=-140, vmax=-40, cmap="magma")
    axes.set_ylim(0, 16_000)
    axes.set_title(title, fontsize=9)
    axes.set_yticks([0, 4000, 8000, 12_000, 16_000], ["0", "4", "8", "12", "16 kHz"])


def beside(results, sounds, trip, arguments, name):
    """The recording, and its round trips through the studio engine and R3."""
    change, recording = trip
    original = shelf.load(recording, arguments.sounds, soundfile.read)
    figure, all_axes = plt.subplots(1, 3, figsize=(13, 3.4), sharey=True)
    spectrogram(all_axes[0], original, f"{recording.name}, there {change}")
    for axes, effect in zip(all_axes[1:], (STUDIO, R3)):
        score = results[effect, change, recording]["zimtohrli"]
        spectrogram(axes, sounds[effect, change, recording], f"{effect}: {score:.2f}")
    for axes in all_axes:
        axes.set_xlabel("s")
    save(figure, arguments.folder, name)


def draw(results, sounds, worst, changes, arguments):
    """Draws all of them; returns their names and titles."""
    scores(results, changes, arguments.folder)
    drawn = [("recordings", "Round trips of recordings, rated by Zimtohrli")]
    for place, trip in enumerate(worst, 1):
        beside(results, sounds, trip, arguments, f"worst-{place}")
        change, recording = trip
        drawn.append((f"worst-{place}", f"{recording.name}, {change} and back, studio and R3"))
    return drawn
