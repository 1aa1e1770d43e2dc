"""Evaluates Ardour's recordings of the node.

    python3 ardour.py FOLDER TEMPO

FOLDER is the rig's. Exits with 0 if all checks pass, 1 if one fails, and 75 if there were xruns, so
that the result is unknown.
"""

import os
import struct
import sys

from midi_number import number_at

SPACING = 12000  # frames between two clicks
NEAR = 2300  # frames around a click in which it is searched for: less than half the echo's time

folder, tempo = sys.argv[1], float(sys.argv[2])
faults = 0
latencies, regions, rolls, takes = {}, {}, {}, []
with open(f"{folder}/recorded", encoding="utf-8") as file:
    for line in file:
        kind, *fields = line.rstrip("\n").split("\t")
        if kind == "latency":
            take, track, least, most = fields
            latencies[take, track] = (int(least), int(most))
            if take not in takes:
                takes.append(take)
        elif kind == "rolls":
            rolls[fields[0]] = fields[1:] == ["true", "true"]
        elif kind == "region":
            take, track, position, start, length, source = fields
            regions.setdefault((take, track), []).append(
                (int(position), int(start), int(length), source)
            )


def good(text):
    print("ok   ", text)


def check(right, text):
    global faults
    if right:
        good(text)
    else:
        faults += 1
        print("FAULT", text)


def chunks(data, place, order, padding):
    """The chunks of a RIFF or MIDI file: (name, contents)."""
    while place + 8 <= len(data):
        name, size = struct.unpack(order + "4sI", data[place : place + 8])
        yield name, data[place + 8 : place + 8 + size]
        place += 8 + size + (size & padding)


def find(source):
    for path, _, files in os.walk(f"{folder}/session/interchange"):
        if source in files:
            with open(os.path.join(path, source), "rb") as file:
                return file.read()
    raise SystemExit(f"{source} is missing from Ardour's session")


class Sound:
    """A take's recording in a track: its samples, and the timeline frame of the first one."""

    def __init__(self, take, track):
        self.first, self.samples = 0, ()
        for position, start, length, source in regions.get((take, track), ()):
            contents = dict(chunks(find(source), 12, "<", 1))[b"data"]
            samples = struct.unpack(f"<{len(contents) // 4}f", contents[: len(contents) // 4 * 4])
            self.first, self.samples = position, samples[start : start + length]

    def clicks(self, after=0):
        """The delay of each click's loudest sample in frames; None for a missing click."""
        found = []
        end = self.first + len(self.samples) - NEAR - after
        frame = -(-(self.first + NEAR) // SPACING) * SPACING
        while frame < end:
            place = frame - self.first + after - NEAR
            near = [abs(sample) for sample in self.samples[place : place + 2 * NEAR + 1]]
            loudest = max(near)
            found.append(near.index(loudest) - NEAR + after if loudest > 0.01 else None)
            frame += SPACING
        return found

    def onsets(self, quiet=2400):
        """The timeline frames at which sound starts after at least `quiet` frames of silence."""
        found, silent = [], quiet
        for place, sample in enumerate(self.samples):
            if sample == 0:
                silent += 1
            else:
                if silent >= quiet:
                    found.append(self.first + place)
                silent = 0
        return found


def spread(errors):
    return f"{min(errors):+d}" if min(errors) == max(errors) else f"{min(errors):+d} to {max(errors):+d}"


def added(take):
    """The mix's latency in Ardour relative to that of the dry clicks: minimum and maximum."""
    mix, dry = latencies[take, "out"], latencies[take, "dry"]
    return mix[0] - dry[0], mix[1] - dry[1]


def judge_latency(take):
    with open(f"{folder}/{take}.told", encoding="utf-8") as file:
        line = next(line for line in file if "capture latency" in line)
    told = tuple(int(part) for part in line.split("[")[1].split("]")[0].split())
    seen = added(take)
    check(told == seen, f"{take}: Ardour has the latency that the node reports, {told[1]} frames")
    for stem in ("live", "grid", "click"):
        if latencies[take, stem] != latencies[take, "dry"]:
            check(False, f"{take}: the latency of the stem {stem} differs from that of the dry clicks")
    expected = {"rest": 0, "live 0": 0, "direct": 0, "echo": 0, "reverb": 0,
                "voice": 960, "studio": 2048}
    for name, delay in expected.items():
        if take == name or take.split()[0] == name and take != name + " 0":
            check(seen == (delay, delay), f"{take}: the latency is {delay} frames, as documented")


def judge_clicks(take):
    dry = Sound(take, "dry").clicks()
    if len(dry) < 8 or any(error != 0 for error in dry):
        print(f"lost: the dry clicks of {take} are off by {dry}")
        raise SystemExit(75)
    for track in ("live", "out"):
        errors = Sound(take, track).clicks(4800 if take == "echo alone" and track == "out" else 0)
        name = "the stem" if track == "live" else "the mix"
        if len(errors) < 8 or None in errors:
            check(False, f"{take}: {name} lacks clicks: {errors}")
            continue
        text = f"{take}: {name} is {spread(errors)} frames off the dry clicks, {len(errors)} of them"
        if track == "out" and take == "echo alone":
            # Proves that an unreported delay is detected.
            check(min(errors) >= 4799 and max(errors) <= 4801, text + " (the echo's own time)")
        else:
            check(max(map(abs, errors)) <= 1, text)


def judge_change(take):
    """Checks a latency change during a take: Ardour compensates the latency at its start."""
    errors = Sound(take, "out").clicks()
    check(len(errors) >= 12 and errors[:3] == [0, 0, 0] and errors[-3:] == [2048, 2048, 2048],
          f"{take}: the mix is {errors[0]} frames late before studio is switched on, {errors[-1]} after it")


def judge_again(take):
    """Checks a track that Ardour plays into the node while it records the node's output."""
    stem, mix = Sound(take, "live").clicks(), Sound(take, "out").clicks()
    apart = [b - a for a, b in zip(stem, mix) if a is not None and b is not None]
    check(len(apart) >= 8 and max(map(abs, apart)) <= 1,
          f"{take}: a track played into the node: the mix is {spread(apart or [9999])} frames off the stem")
    early = [error for error in stem + mix if error is not None]
    # Caused by Ardour, with any program that it plays to.
    print(f"      {take}: Ardour records both {spread(early)} frames off the track that it plays")


def read_notes(source):
    """The events (beats, status, key, velocity) of a MIDI file with one track."""
    division, place, beats, status, found = 1, 0, 0.0, 0, []
    for name, data in chunks(find(source), 0, ">", 0):
        if name == b"MThd":
            division = struct.unpack(">H", data[4:6])[0]
        if name != b"MTrk":
            continue

        ticks = 0
        while place < len(data):
            delta, place = number_at(data, place)
            ticks += delta
            if data[place] >= 128:
                status = data[place]
                place += 1
            if status == 0xFF:
                size, place = number_at(data, place + 1)
                place += size
            elif status >= 0xF0:
                size, place = number_at(data, place)
                place += size
            else:
                size = 1 if status >> 4 in (0xC, 0xD) else 2
                if status >> 4 in (8, 9):
                    found.append((ticks / division, status, data[place], data[place + 1]))
                place += size
    return found


def heard(kind):
    """The lines of a kind in the recorder's log, split into words."""
    with open(f"{folder}/ear.log", encoding="utf-8") as file:
        return [line.split() for line in file if line.startswith(kind)]


def judge_notes(take):
    sent = []
    for word in heard("midi"):
        if int(word[2]) >= 0:
            sent.append((int(word[2]), bytes.fromhex(word[3])))
    kept = []
    for position, start, length, source in regions.get((take, "notes"), ()):
        for beats, status, key, velocity in read_notes(source):
            kept.append((position + beats * 60 / tempo * 48000, status, key, velocity))
    ons = [key for _, status, key, velocity in kept if status >> 4 == 9 and velocity > 0]
    offs = [key for _, status, key, velocity in kept if status >> 4 == 8 or velocity == 0]
    check(len(ons) == 6 and ons == offs, f"{take}: Ardour has {len(ons)} notes, and a note off for each")
    same = [(s >> 4, k) for _, s, k, _ in kept] == [(b[0] >> 4, b[1]) for _, b in sent]
    check(same, f"{take}: with midi_out's keys, in order")
    if same:
        errors = [round(at - frame) for (at, *_), (frame, _) in zip(kept, sent)]
        # Ardour's own error: its MIDI takes are off by as much with any client.
        check(max(map(abs, errors)) <= 320, f"{take}: Ardour places them {spread(errors)} frames "
              "off midi_out's (within 320: Ardour's own error, with buffers of 128)")
    onsets = Sound(take, "grid").onsets()
    first = [frame for frame, message in sent if message[0] >> 4 == 9][:1]
    late = onsets[0] - first[0] if onsets and first else None
    check(late in (0, 1), f"{take}: the grid's stem begins {late} frames after midi_out's first note")


def judge_beats(take):
    beat = 60 / tempo * 48000
    onsets = Sound(take, "click").onsets()
    errors = [round(frame - round(frame / beat) * beat) for frame in onsets]
    least, most = (float(word) for word in heard("beats")[-1][1:])
    # Ticks are integers: JACK's programs truncate them, and Ardour rounds. The node assumes
    # truncation, so it is up to half a tick early.
    print(f"      {take}: Ardour reports beats to JACK {least:+.1f} to {most:+.1f} frames off its own")
    allowed = beat / 1920 / 2 + 1
    check(len(onsets) >= 8 and max(map(abs, errors), default=99) <= allowed,
          f"{take}: {len(onsets)} clicks are {spread(errors or [99])} frames off Ardour's beats "
          f"(within half of Ardour's tick, {allowed - 1:.1f})")
    with open(f"{folder}/followed", encoding="utf-8") as file:
        followed = file.read().split()
    check(len(followed) == 2 and abs(float(followed[1]) - tempo) < 0.01,
          f"{take}: the node has Ardour's tempo, {' '.join(followed[1:])}")
    steps = [round((b - a) / beat) for a, b in zip(onsets, onsets[1:])]
    check(set(steps) == {1}, f"{take}: no beat is missing")


for take in takes:
    check(rolls.get(take, False), f"{take}: Ardour rolls and records")
    if take == "notes":
        judge_notes(take)
    elif take == "beats":
        judge_beats(take)
    elif take == "changed":
        judge_change(take)
    elif take == "again":
        judge_again(take)
    elif take == "leading":
        with open(f"{folder}/lead", encoding="utf-8") as file:
            answer = " ".join(file.read().split())
        check("state" in answer, f"{take}: while Ardour is the timebase master, the reply is {answer}")
    else:
        judge_latency(take)
        judge_clicks(take)
sys.exit(1 if faults else 0)
