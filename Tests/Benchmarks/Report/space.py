"""The measures of reverbs and echoes."""

import numpy as np

import measures
import signals
from signals import RATE

DECAY = 2
DAMPING = 8000


def reverb_quality(tool, name):
    # With modulated delay lines, each impulse decays differently: the mean is the decay time.
    responses = []
    for later in (0, 1, 2):
        both = tool.render(name, f"impulse {later}", f"seconds={DECAY}", f"damping={DAMPING}")
        responses += [side[signals.IMPULSES[later] :][: 4 * RATE] for side in both]
    left, right = responses[:2]
    figures = {}
    for octave in measures.OCTAVES:
        bands = [measures.band(response, octave) for response in responses]
        figures[f"rt {octave}"] = measures.decay_time(*bands)
    errors = [abs(figures[f"rt {octave}"] / DECAY - 1) for octave in (125, 250, 500, 1000, 2000)]
    figures["rt error"] = 100 * float(np.max(errors))
    figures["dense"] = measures.time_to_density(left)
    # A tail that ends too soon can't be measured.
    if figures["rt 500"] > DECAY / 4:
        figures["deviation"] = measures.tail_deviation(left)
        figures["autocorrelation"] = measures.tail_autocorrelation(left)
        figures["sides"] = measures.side_correlation(left, right)
    return figures, measures.echo_density(left[measures.onset(left) :])


def cost(tool, name, *settings):
    figures = {}
    for block in (128, 64):
        timed = tool.time(name, "noise", *settings, block=block)
        figures[f"longest {block}"] = timed["longest_percent"]
        figures[f"longest by mean {block}"] = timed["longest_by_mean"]
        if block == 128:
            figures["ns"] = timed["ns_per_frame"]
    return figures


def echo_quality(tool, name):
    figures, changed = {}, {}
    # A time change of a sine: the second difference shows a click, but not a pitch bend. It is an odd
    # number of half periods, so that old and new signal differ as much as possible.
    for kind, glides in (("crossfade", 0), ("glide", 1)):
        changed[kind] = tool.render(
            name, "sine", "seconds=0.3", "feedback=0", f"glides={glides}", "2:seconds=0.45114"
        )[0]
    if np.array_equal(changed["crossfade"], changed["glide"]):
        del changed["glide"]
    for kind, sound in changed.items():
        figures[f"rough {kind}"] = measures.roughness(sound, (1.5, 1.95), (1.99, 3.9))
    sound = tool.render(
        name, "sine 10k", "seconds=0.3", "feedback=0", "glides=1", "2:seconds=0.3004"
    )[0]
    piece = sound[int(2.02 * RATE) : int(2.1 * RATE)]
    # Effects that jump or crossfade never interpolate.
    if measures.bends(piece, 10_000):
        figures["read"] = measures.moving_sine(piece, 10_000)
    return figures
