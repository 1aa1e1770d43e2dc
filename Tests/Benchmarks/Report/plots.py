"""The plots of the report."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator

import measures
from tool import OURS

OUR_COLOUR, PEER_COLOUR = "#c2410c", "#64748b"
# Blues to greens, none close to ours; each is reused dashed and dotted.
CURVE_COLOURS = ("#1d4ed8", "#0e7490", "#15803d", "#7c3aed", "#64748b")
CURVE_STYLES = ("-", "--", ":")


def curve_look(effect, index):
    """The style of an effect's curve, the index-th in its plot."""
    if effect.startswith(OURS):
        return {"color": OUR_COLOUR, "linestyle": "-", "linewidth": 3, "zorder": 3}
    style, colour = divmod(index, len(CURVE_COLOURS))
    return {"color": CURVE_COLOURS[colour], "linestyle": CURVE_STYLES[style % 3], "linewidth": 1.3}


def legend_beside(axes):
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)


def colour(name):
    return OUR_COLOUR if name.startswith(OURS) else PEER_COLOUR


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=110)
    plt.close(figure)


def logarithmic(axes):
    """Sets a logarithmic axis with plain numbers."""
    axes.set_xscale("log")
    axes.xaxis.set_minor_locator(LogLocator(subs=(2, 5)))
    for set_formatter in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
        set_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def scatter(results, across, up, title, folder, name):
    """One point per effect: `across` and `up` are a label and a function of its figures."""
    figure, axes = plt.subplots(figsize=(8, 5))
    for effect, values in results.items():
        try:
            x, y = across[1](values), up[1](values)
        except KeyError:
            continue
        axes.scatter(x, y, color=colour(effect), zorder=3)
        axes.annotate(effect, (x, y), textcoords="offset points", xytext=(6, 4), fontsize=8)
    logarithmic(axes)
    axes.set_xlabel(across[0])
    axes.set_ylabel(up[0])
    axes.set_title(title)
    axes.grid(alpha=0.3, which="both")
    axes.margins(x=0.2)
    save(figure, folder, name)


def bars(results, key, label, title, folder, name):
    values = {effect: figures[key] for effect, figures in results.items() if key in figures}
    values = dict(sorted(values.items(), key=lambda item: -item[1]))
    figure, axes = plt.subplots(figsize=(8, 0.5 + 0.4 * len(values)))
    drawn = axes.barh(list(values), list(values.values()), color=[colour(e) for e in values])
    axes.bar_label(drawn, [f"{value:.0f}" for value in values.values()], padding=3, fontsize=8)
    logarithmic(axes)
    axes.margins(x=0.15)
    axes.set_xlabel(label)
    axes.set_title(title)
    save(figure, folder, name)


def decays(results, folder):
    figure, axes = plt.subplots(figsize=(10, 5))
    reverbs = [(effect, figures) for effect, figures in results.items() if "rt 500" in figures]
    for index, (effect, figures) in enumerate(reverbs):
        times = [figures[f"rt {octave}"] for octave in measures.OCTAVES]
        axes.plot(measures.OCTAVES, times, "o", markersize=3, label=effect,
                  **curve_look(effect, index))
    axes.axhline(2, color="black", linestyle=":", linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(0, 4)
    axes.set_xticks(measures.OCTAVES, [str(octave) for octave in measures.OCTAVES])
    axes.set_xlabel("octave, Hz")
    axes.set_ylabel("decay by 60 dB, s")
    axes.set_title("Reverbs with a decay time of 2 s")
    legend_beside(axes)
    axes.grid(alpha=0.3)
    save(figure, folder, "decay")


def densities(curves, folder):
    figure, axes = plt.subplots(figsize=(10, 5))
    for index, (effect, (at, density)) in enumerate(curves.items()):
        axes.plot(at * 1000, density, label=effect, **curve_look(effect, index))
    axes.axhline(0.9, color="black", linestyle=":", linewidth=1)
    logarithmic(axes)
    # Later, all dense ones are dense.
    axes.set_xlim(10, 500)
    axes.set_ylim(0, 1.4)
    axes.set_xlabel("time after the first sound, ms")
    axes.set_ylabel("normalized echo density")
    axes.set_title("Echo density of reverbs over time")
    legend_beside(axes)
    axes.grid(alpha=0.3)
    save(figure, folder, "density")


def draw(results, curves, folder):
    """Draws all of them; returns their names and titles."""
    shifters = {name: figures for name, figures in results.items() if "tones" in figures}
    drawn = []

    def mean_delay(figures):
        return max(0.3, sum(figures[f"delay {s}"] for s in ("+12", "+0", "-12")) / 3)

    if shifters:
        scatter(shifters, ("mean delay at 440 Hz, ms", mean_delay),
                ("SNR of harmonic tones at ±7, dB", lambda f: f["tones"]),
                "Single tones and delay", folder, "tones")
        scatter(shifters, ("mean width of clicks at ±7, ms",
                           lambda f: (f["clicks +7"] + f["clicks -7"]) / 2),
                ("SNR of justly tuned chords at ±7, dB",
                 lambda f: (f["major +7"] + f["major -7"] + f["minor7 +7"] + f["minor7 -7"]) / 4),
                "Chords and clicks", folder, "chords")
        bars(shifters, "ns +4", "ns per frame and channel", "The cost of a shift by 4 semitones",
             folder, "cost")
        drawn += [("tones", "Single tones and delay"), ("chords", "Chords and clicks"),
                  ("cost", "The cost of a shift")]
    if curves:
        decays(results, folder)
        densities(curves, folder)
        drawn += [("decay", "Decay times of reverbs"), ("density", "Echo density of reverbs")]
    return drawn
