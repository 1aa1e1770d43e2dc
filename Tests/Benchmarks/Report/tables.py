"""The tables, for a terminal and for Markdown."""

from goals import AT_MOST, ECHO, GOALS, REVERB, TRANSFORM, VOICE
from tool import OURS

# Each table: its title, the figure that all of its effects have, a note, and the columns.
SHIFTERS = "Pitch shifters, one channel of two", "tones", (
    "Reported is the effect's own latency, without the buffering of blocks for it."
), [
    ("latency, ms: +12", "delay +12", 1), ("0", "delay +0", 1), ("-12", "delay -12", 1),
    ("reported, ms: +12", "told +12", 1), ("0", "told +0", 1), ("-12", "told -12", 1),
    ("cents at +7", "cents +7", 2),
    ("sine SNR, dB: +12", "sine +12", 0), ("+7", "sine +7", 0), ("-12", "sine -12", 0),
    ("tones, dB: mean", "tones", 1), ("worst", "least tone", 1),
    ("aliasing, dB", "alias", 0),
]
CHORDS = "Chords, clicks, voices", "tones", (
    "Chords are in just intonation; clicks are on the major one; voices keep their formants"
), [
    ("major, dB: +7", "major +7", 1), ("-7", "major -7", 1),
    ("minor 7th, dB: +7", "minor7 +7", 1), ("-7", "minor7 -7", 1),
    ("clicks, ms: +7", "clicks +7", 2), ("-7", "clicks -7", 2),
    ("formants, dB", "formants", 2), ("voice latency, ms", "voice delay", 1),
]
STRETCHERS = "Time stretchers, a major chord and clicks on it", "stretch 0.8", "", [
    ("1.25: chord, dB", "stretch 1.25", 1), ("clicks, ms", "stretch clicks 1.25", 2),
    ("0.8: chord, dB", "stretch 0.8", 1), ("clicks, ms", "stretch clicks 0.8", 2),
]
COSTS = "The cost of shifting, per frame and channel of two", "ns +4", (
    "The sweep is 9.5 s long and covers an octave up and down"
), [
    ("ns per frame: +4", "ns +4", 1), ("+12", "ns +12", 1), ("-12", "ns -12", 1),
    ("longest buffer, % of its period: 64", "longest 64", 2), ("128", "longest 128", 2),
    ("relative to the mean: 64", "longest by mean 64", 1), ("128", "longest by mean 128", 1),
    ("in a sweep: allocations, locks", "allocations", 0), ("longest, %", "longest in sweep", 2),
]
REVERBS = "Reverbs at a decay time of 2 s, half of that at 8 kHz if adjustable", "dense", "", [
    ("s at 125 Hz", "rt 125", 2), ("500", "rt 500", 2), ("2k", "rt 2000", 2), ("8k", "rt 8000", 2),
    ("dense, ms", "dense", 0), ("deviation, dB", "deviation", 2),
    ("autocorrelation", "autocorrelation", 3), ("left/right", "sides", 3),
    ("ns per frame", "ns", 1), ("longest, %: 64", "longest 64", 2), ("128", "longest 128", 2),
]
ECHOES = "Echoes", "rough crossfade", (
    "Roughness is the maximum second difference at a time change, relative to the steady one"
), [
    ("ns per frame", "ns", 1), ("longest, %: 64", "longest 64", 3), ("128", "longest 128", 3),
    ("roughness: jump or crossfade", "rough crossfade", 2), ("glide", "rough glide", 2),
    ("10 kHz gliding, dB", "read", 1),
]
GATES = "Gates at -35 dBFS: two decaying strings with beats, and a tone after noise", "chatter", "", [
    ("reopened", "chatter", 0), ("open after, ms", "opening", 2),
    ("ns per frame", "ns", 1), ("longest, %: 64", "longest 64", 3), ("128", "longest 128", 3),
]
LEVELS = "Compressors at 3:1 above -25.5 dBFS, on steady tones of -6 dBFS", "residue 100", "", [
    ("residue, dB: 100 Hz", "residue 100", 1), ("40 Hz", "residue 40", 1),
    ("ns per frame", "ns", 1), ("longest, %: 64", "longest 64", 3), ("128", "longest 128", 3),
]
TUNES = "Pitch correction: a melody sung up to 40 cents off, with a vibrato of 20 cents", "cents", "", [
    ("cents off: mean", "cents", 1), ("95 %", "cents 95", 1), ("steady note", "steady", 1),
    ("wrong notes of ten", "wrong notes", 0), ("latency, ms: 110 Hz", "tune delay 110", 1),
    ("440 Hz", "tune delay 440", 1),
    ("ns per frame", "ns", 1), ("longest, %: 64", "longest 64", 2), ("128", "longest 128", 2),
]
HARMONIES = "Four harmonies with formants preserved: +4, +7, -5 and -12 semitones", "harmony delay 110", "", [
    ("latency, ms: 110 Hz", "harmony delay 110", 1),
    ("440 Hz", "harmony delay 440", 1),
    ("ns per frame", "ns", 1), ("longest, %: 64", "longest 64", 2), ("128", "longest 128", 2),
]
TRANSFORMS = "Real transforms of 2048 samples", "transform", "", [
    ("ns", "transform", 0), ("relative to FFTW", "by FFTW", 2),
]
ALL = (SHIFTERS, CHORDS, STRETCHERS, COSTS, REVERBS, ECHOES, GATES, LEVELS, TUNES, HARMONIES, TRANSFORMS)


def shown(figure, digits):
    if figure is None or figure != figure:
        return "-"
    text = f"{figure:.{digits}f}"
    # Zero has no sign.
    return text.lstrip("-") if float(text) == 0 else text


def rows_of(token, columns, results):
    for name, figures in results.items():
        if token in figures:
            yield [name] + [shown(figures.get(key), digits) for _, key, digits in columns]


def markdown(header, rows, texts):
    """`texts` are the columns that hold no figures."""
    rule = ["---" if i in texts else "---:" for i in range(len(header))]
    lines = [header, rule, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plain(header, rows, texts):
    """A table with columns as wide as their contents; long headers are wrapped at spaces.

    `texts` are the columns without figures."""
    body = [max(len(row[i]) for row in rows) for i in range(len(header))]
    words = [max(map(len, text.split(" "))) for text in header]
    widths = [max(pair) for pair in zip(body, words)]
    heads = []
    for text, width in zip(header, widths):
        lines = [""]
        for word in text.split(" "):
            if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
                lines.append("")
            lines[-1] += (" " if lines[-1] else "") + word
        heads.append(lines)
    height = max(map(len, heads))
    heads = [[""] * (height - len(lines)) + lines for lines in heads]

    def line(cells):
        aligned = [
            cell.ljust(width) if i in texts else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths))
        ]
        return "  ".join(aligned).rstrip()

    return "\n".join([line([lines[i] for lines in heads]) for i in range(height)]
                     + [line(row) for row in rows])


def best_peer(goal, results):
    """The peer closest to the goal, or furthest past it."""
    figures = [
        (values[goal.key], name)
        for name, values in results.items()
        if not name.startswith(OURS) and values.get(goal.key) == values.get(goal.key)
        and values.get(goal.key) is not None and kind_of(goal, values)
    ]
    if not figures:
        return "-"
    figure, name = (min if goal.relation == AT_MOST else max)(figures)
    return f"{name} {shown(figure, goal.digits)}"


def kind_of(goal, values):
    """Whether a peer is comparable: an echo's cost is no measure for a reverb's, nor that of a shifter
    that moves formants for one that preserves them."""
    tokens = {
        VOICE: "formants", REVERB: "dense", ECHO: "rough crossfade", TRANSFORM: "transform",
    }
    return tokens.get(goal.effect, "tones") in values


def goal_rows(results):
    for goal in GOALS:
        figures = results.get(goal.effect)
        if figures is None:
            continue
        figure = figures.get(goal.key)
        unit = f" {goal.unit}" if goal.unit else ""
        yield [
            goal.effect, goal.label, shown(figure, goal.digits) + unit,
            f"{goal.relation} {shown(goal.limit, goal.digits)}{unit}", goal.verdict(figure),
            best_peer(goal, results),
        ]


def unmeasured(results):
    return sorted({goal.effect for goal in GOALS} - set(results))


GOAL_HEADER = ["Effect", "Measure", "Value", "Goal", "", "Best peer"]


def sections(results):
    """The titles, notes, headers and rows of all tables, and their text columns."""
    found = [("Goals", "", GOAL_HEADER, list(goal_rows(results)), {0, 1, 4, 5})]
    for title, token, note, columns in ALL:
        header = [""] + [label for label, _, _ in columns]
        found.append((title, note, header, list(rows_of(token, columns, results)), {0}))
    return [section for section in found if section[3]]
