"""Records sessions with the node, and checks their files.

    python3 session.py WORK short|ardour|long [SECONDS]

WORK is the rig's folder, with its programs. Exits with 1 if a check fails.
"""

import array
import csv
import functools
import operator
import os
import re
import shutil
import struct
import subprocess
import sys
import time

import session_ardour
from midi_number import number_at
from stage import RATE, Listener, Node, Refused, Server, spawn

NUMBERS = 1 << 18  # the source's numbers repeat after as many frames
CHUNK = 1 << 16  # frames that are compared at a time
TEMPO = 133
work = sys.argv[1]
faults = 0


def check(text, holds, detail=""):
    global faults
    faults += not holds
    print(f"{'ok   ' if holds else 'FAULT'} {text}{f': {detail}' if detail and not holds else ''}", flush=True)
    return holds


# --- Files


class Wave:
    """A WAV file: its format, chunks, and samples as integers in steps of 24 bits, times 256."""

    def __init__(self, path):
        self.name, self.path = os.path.basename(path)[:-4], path
        self.chunks, self.errors = {}, []
        with open(path, "rb") as file:
            size = os.path.getsize(path)
            riff, length, kind = struct.unpack("<4sI4s", file.read(12))
            if riff != b"RIFF" or kind != b"WAVE" or length + 8 != size:
                self.errors.append(f"{riff} {kind} with a length of {length + 8}, the file has {size}")
            place = 12
            while place + 8 <= size:
                file.seek(place)
                name, count = struct.unpack("<4sI", file.read(8))
                if place + 8 + count > size:
                    self.errors.append(f"the chunk {name} is longer than the file")
                if name == b"data":
                    self.start, self.count = place + 8, count
                else:
                    self.chunks[name.decode("latin-1")] = file.read(count)
                place += 8 + count + count % 2
        kind, self.channels, self.rate, _, self.frame, self.bits = struct.unpack_from(
            "<HHIIHH", self.chunks["fmt "])
        self.frames = self.count // self.frame

    @property
    def time(self):
        """The time reference."""
        return struct.unpack_from("<Q", self.chunks["bext"], 338)[0]

    @property
    def date(self):
        return self.chunks["bext"][320:338].decode()

    @property
    def cues(self):
        """The markers: (frame, name)."""
        data, names = self.chunks.get("cue ", b"\0\0\0\0"), {}
        list_, place = self.chunks.get("LIST", b"adtl"), 4
        while place + 8 <= len(list_):
            name, count = struct.unpack_from("<4sI", list_, place)
            if name == b"labl":
                number = struct.unpack_from("<I", list_, place + 8)[0]
                names[number] = list_[place + 12:place + 8 + count].rstrip(b"\0").decode()
            place += 8 + count + count % 2
        found = []
        for index in range(struct.unpack_from("<I", data)[0]):
            number, _, _, _, _, frame = struct.unpack_from("<II4sIII", data, 4 + 24 * index)
            found.append((frame, names.get(number)))
        return found

    @property
    def tempo(self):
        return struct.unpack_from("<f", self.chunks["acid"], 20)[0]

    def bytes(self, start, frames):
        with open(self.path, "rb") as file:
            file.seek(self.start + start * self.frame)
            return file.read(max(0, min(frames, self.frames - start)) * self.frame)

    def samples(self, start=0, frames=1 << 62):
        """Interleaved samples; those of a mono file are on both channels."""
        data = self.bytes(start, frames)
        wide = bytearray(len(data) // 3 * 4)
        for byte in range(3):
            wide[byte + 1::4] = data[byte::3]
        samples = array.array("i", bytes(wide))
        if self.channels == 1:
            both = array.array("i", bytes(8 * len(samples)))
            both[0::2] = both[1::2] = samples
            return both
        return samples


def waves(folder):
    return {name[:-4]: Wave(os.path.join(folder, name))
            for name in sorted(os.listdir(folder)) if name.endswith(".wav")}


def played():
    """The source's signal, as the bytes of a 24-bit file."""
    data = bytearray(6 * NUMBERS)
    for number in range(NUMBERS):
        hashed = number * 2654435761 & 0xFFFFFFFF
        hashed = (hashed ^ hashed >> 15) * 2246822519 & 0xFFFFFFFF
        data[6 * number:6 * number + 6] = (
            ((hashed >> 14) - 131072).to_bytes(3, "little", signed=True) + number.to_bytes(3, "little"))
    return bytes(data)


def check_input(text, wave, lost_allowed, xruns):
    """Checks that a file has the source's frames; silent ones were lost."""
    table = played()
    first = None
    lost = wrong = 0
    spans = []
    twice = table + table
    for start in range(0, wave.frames, CHUNK):
        data = wave.bytes(start, CHUNK)
        if first is None:
            for at in range(0, len(data), 6):
                if any(data[at:at + 6]):
                    first = (int.from_bytes(data[at + 3:at + 6], "little") - start - at // 6) % NUMBERS
                    break
            else:
                lost += len(data) // 6
                continue
        place = 6 * ((first + start) % NUMBERS)
        if data == twice[place:place + len(data)]:
            continue
        for at in range(0, len(data), 6):
            if data[at:at + 6] == twice[place + at:place + at + 6]:
                continue
            if any(data[at:at + 6]):
                wrong += 1
            else:
                lost += 1
            frame = start + at // 6
            if spans and spans[-1][1] == frame:
                spans[-1][1] += 1
            else:
                spans.append([frame, frame + 1])
    told = ", ".join(f"{a} to {b}" for a, b in spans[:6])
    check(f"{text}: each of {wave.frames} frames of in.wav is the one that was played, or silent", wrong == 0,
          f"{wrong} are others: {told}")
    check(f"{text}: {lost} frames are silent, with {xruns} xruns", lost == 0 or lost_allowed, told)
    return lost


def check_lengths(text, files, expected):
    lengths = {file.frames for file in files.values()}
    check(f"{text}: {len(files)} files have {'/'.join(map(str, sorted(lengths)))} frames each",
          len(lengths) == 1 and len(files) == expected, str({name: file.frames for name, file in files.items()}))
    errors = [f"{file.path}: {error}" for file in files.values() for error in file.errors]
    check(f"{text}: their chunks are well-formed", not errors, "; ".join(errors))
    return min(lengths)


def check_null(text, files, stems):
    """Checks that the mix minus the stems is silence, within the rounding of each file."""
    allowed, worst, at, peak = (len(stems) + 1) // 2, 0, 0, 0
    for start in range(0, files["out"].frames, CHUNK):
        mix = files["out"].samples(start, CHUNK)
        peak = max(peak, max(mix), -min(mix))
        total = functools.reduce(lambda a, b: map(operator.add, a, b),
                                 (files[name].samples(start, CHUNK) for name in stems))
        rest = array.array("q", map(operator.sub, mix, total))
        most = max(max(rest), -min(rest)) // 256
        if most > worst:
            worst, at = most, start + next(
                index for index, each in enumerate(rest) if abs(each) // 256 == most) // 2
    check(f"{text}: out minus {' + '.join(stems)} is silence: at most {worst} steps of 24 bits, of {allowed} by "
          f"rounding, with a peak of {peak / (1 << 31):.3f}", worst <= allowed, f"at frame {at}")


def read_log(folder):
    """The lines of session.txt: (frame, kind, rest)."""
    with open(os.path.join(folder, "session.txt"), encoding="utf-8") as file:
        head, *lines = file.read().splitlines()
    words = [line.split(" ", 2) for line in lines]
    return head, [(int(word[0]), word[1], word[2]) for word in words if len(word) == 3], [
        int(word[1]) for word in words if word[0] == "end"]


def read_midi(path):
    """The division, and the tracks of a MIDI file: lists of (tick, bytes), meta events with their type first."""
    with open(path, "rb") as file:
        data = file.read()
    name, size, form, count, division = struct.unpack_from(">4sIHHH", data)
    assert name == b"MThd" and size == 6
    place, tracks = 14, []
    while place < len(data):
        name, size = struct.unpack_from(">4sI", data, place)
        place += 8
        end, tick, events = place + size, 0, []
        while place < end:
            delta, place = number_at(data, place)
            tick += delta
            status = data[place]
            place += 1
            if status == 0xFF:
                kind = data[place]
                place += 1
                length, place = number_at(data, place)
                events.append((tick, bytes([0xFF, kind]) + data[place:place + length]))
            else:
                length = 1 if status >> 4 in (0xC, 0xD) else 2
                events.append((tick, bytes([status]) + data[place:place + length]))
            place += length
        assert place == end and events[-1][1] == b"\xff\x2f", "a track does not end where it should"
        tracks.append(events)
    assert len(tracks) == count
    return form, division, tracks


class Times:
    """The frames of ticks, according to the tempos of a file."""

    def __init__(self, division, events):
        self.tempos, frame, tick, length = [], 0.0, 0, 0.5
        for at, event in events:
            if event[:2] == b"\xff\x51":
                frame += (at - tick) / division * length * RATE
                tick, length = at, int.from_bytes(event[2:], "big") / 1e6
                self.tempos.append((tick, frame, length / division * RATE))

    def frame(self, tick):
        at, frame, length = [tempo for tempo in self.tempos if tempo[0] <= tick][-1]
        return frame + (tick - at) * length


def onsets(wave, quiet):
    """The frames at which sound starts after silence."""
    found, silent, place = [], quiet, 0
    for start in range(0, wave.frames, CHUNK):
        samples = wave.samples(start, CHUNK)
        if not any(samples):
            silent += len(samples) // 2
            continue
        for at in range(0, len(samples), 2):
            if samples[at] == 0 == samples[at + 1]:
                silent += 1
            else:
                if silent >= quiet:
                    found.append(start + at // 2)
                silent = 0
    return found


def widest(errors):
    return f"{min(errors):+.2f} to {max(errors):+.2f}" if errors else "none"


# --- The stage


def start_source(server):
    process = spawn([f"{work}/session-source", "source"], env=server.environment, stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL)
    if process.stdout.readline() != b"ready\n":
        sys.exit("the source does not start")
    return process


def start_node(server, name, home, *options):
    node = Node(server, home, os.path.join(work, name + ".log"), *options, limit=60)
    for side in (1, 2):
        # A restarted node restores its connections.
        subprocess.run(["jack_connect", f"source:out_{side}", f"syrinx:in_{side}"], env=server.environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    node.send("/subscribe")
    time.sleep(0.5)
    return node


def folder(node, home, name=None):
    return os.path.join(home, "sessions", name or node.value("/session/state")[2])


def errors(node, since=0):
    return [values for _, address, values in node.received[since:] if address == "/error"]


def command(node, address, *values):
    """Sends a command, and waits until it has taken effect."""
    node.send(address, *values)
    node.value("/status/uptime")


def start_session(node, limit=10):
    command(node, "/session/record", 1)
    end = time.monotonic() + limit
    while True:
        state = node.value("/session/state")
        if state[0] == "on" and state[2]:
            return state
        if time.monotonic() > end:
            sys.exit(f"the session does not start: {state}; {errors(node)}")
        time.sleep(0.05)


def wait(node, seconds):
    """Waits until a session has a length."""
    end = time.monotonic() + 4 * seconds + 30
    while node.value("/session/state")[1] < seconds:
        if time.monotonic() > end:
            sys.exit(f"the session does not reach {seconds} s: {node.value('/session/state')}; {errors(node)}")
        time.sleep(0.1)


# --- The short session


def short():
    server = Server("syrinx-rig-session", os.path.join(work, "jackd.log"), "-S")
    start_source(server)
    home = os.path.join(work, "syrinx-home")
    node = start_node(server, "syrinx", home)
    for address, *values in (
            ("/chain/bypass", 0), ("/echo/on", 0), ("/reverb/on", 0), ("/pitch/on", 0), ("/out/gain", 0.0),
            ("/live/gain", 0.0), ("/metronome/bpm", float(TEMPO)), ("/metronome/gain", -12.0), ("/metronome/on", 1),
            ("/harmony/1/on", 1), ("/harmony/1/interval", "3rdUp"), ("/loop/1/quantize", "off"),
            ("/loop/2/quantize", "off"), ("/grid/gain", -12.0)):
        node.send(address, *values)
    node.ask("/scene/save", "quieter", "/live")
    command(node, "/live/gain", -1.5)
    node.ask("/scene/save", "verse", "/live")
    command(node, "/live/gain", 0.0)
    time.sleep(1.5)
    xruns = node.value("/status/xruns")[0]
    begun = time.time()
    start_session(node)
    wait(node, 2)
    command(node, "/loop/1/record")
    wait(node, 4)
    command(node, "/loop/1/overdub")
    wait(node, 6)
    command(node, "/loop/1/overdub")
    command(node, "/loop/2/record")
    wait(node, 7)
    command(node, "/loop/2/play")
    command(node, "/session/mark", 'A "quoted" mark, and a comma')
    for column in range(1, 7):
        command(node, "/grid/touch", 1, column)
        time.sleep(0.25)
        command(node, "/grid/release", 1, column)
        time.sleep(0.1)
    wait(node, 12)
    node.ask("/scene", "verse")
    wait(node, 14)
    command(node, "/loop/1/undo")
    wait(node, 16)
    command(node, "/loop/1/stop")
    command(node, "/session/mark", "Ende: äöü")
    command(node, "/grid/touch", 2, 2)
    wait(node, 20)
    name = node.ask("/session/record", 0, limit=30)[2][0]
    command(node, "/grid/release", 2, 2)
    xruns = node.value("/status/xruns")[0] - xruns
    told = errors(node)
    check("short: no error", not told, str(told))
    place = folder(node, home, name)
    code = node.stop()
    check(f"short: the node exits with {code}", code == 0, node.said())
    server.stop()
    judge(place, begun, xruns)
    with open(os.path.join(work, "recorded"), "w", encoding="utf-8") as file:
        file.write(place + "\n")


def judge(place, begun, xruns):
    files = waves(place)
    frames = check_lengths("short", files, 10)
    head, log, ends = read_log(place)
    check(f"short: session.txt ends with their length", ends == [frames], str(ends))
    stems = ["live", "harmony", "grid", "click", "loop1", "loop2", "loop3", "loop4"]
    for name in ["in", "out", *stems[:6]]:
        if not any(files[name].bytes(0, 1 << 40)):
            check(f"short: {name}.wav has sound", False)
    check_input("short", files["in"], True, xruns)
    check_null("short", files, stems)

    # Libsndfile.
    said = {}
    for name, file in files.items():
        result = subprocess.run(["sndfile-info", file.path], capture_output=True, text=True)
        text = result.stdout + result.stderr
        said[name] = (
            result.returncode, *(int(each[0]) if (each := re.findall(pattern, text)) else None for pattern in (
                r"Frames\s*: (\d+)", r"cue\s+: \d+\s+Count : (\d+)")),
            re.findall(r"(?i).*(?:error|bad|warning|should).*", text), "bext : 602" in text)
    check("short: libsndfile reads their lengths and markers, and finds no fault in them",
          all(each == (0, frames, len(files["in"].cues), [], True) for each in said.values()), str(said))

    # Time stamps.
    times = {(file.time, file.date) for file in files.values()}
    check(f"short: they have one time reference", len(times) == 1, str(times))
    stamp, date = next(iter(times))
    stated = head.split()[2]
    clock = [float(part) for part in stated[11:26].split(":")]
    exact = round((clock[0] * 3600 + clock[1] * 60 + clock[2]) * RATE)
    check("short: it is the time in session.txt", abs(stamp - exact) <= 1 and stated.startswith(date[:10]),
          f"{stamp}, not {exact}")
    local = time.localtime(begun)
    real = local.tm_hour * 3600 + local.tm_min * 60 + local.tm_sec + begun % 1
    check(f"short: it is {stamp / RATE - real:.2f} s after the command was sent", -0.05 < stamp / RATE - real < 1)

    # Markers.
    marks = [(frame, rest) for frame, kind, rest in log if kind == "mark"]
    names = [name for _, name in marks]
    # Markers at the same frame can be in any order.
    expected = ["loop 1 records", "loop 1 is overdubbed", "loop 1 plays", "loop 2 records", "loop 2 plays",
                'A "quoted" mark, and a comma', "verse", "loop 1 stops", "Ende: äöü"]
    ranks = {name: rank for rank, name in enumerate(expected)}
    check(f"short: session.txt has the {len(expected)} markers in order", sorted(names) == sorted(expected)
          and [name for _, name in sorted(marks, key=lambda mark: (mark[0], ranks[mark[1]]))] == expected, str(marks))
    check("short: all files have these as cues", all(file.cues == marks for file in files.values()),
          str(files["out"].cues))
    with open(os.path.join(place, "markers.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    check("short: markers.csv has them", rows[0] == ["#", "Name", "Start"] and [row[1] for row in rows[1:]] == names
          and all(abs(float(row[2]) * RATE - frame) < 0.1 for row, (frame, _) in zip(rows[1:], marks)), str(rows))

    # Tempo and MIDI.
    tempos = {round(file.tempo, 2) for file in files.values()}
    check(f"short: they name the tempo {TEMPO}", all(abs(tempo - TEMPO) < 0.02 for tempo in tempos), str(tempos))
    beats = [frame for frame, kind, _ in log if kind == "beat"]
    apart = [b - a - 60 * RATE / TEMPO for a, b in zip(beats, beats[1:])]
    check(f"short: session.txt has {len(beats)} beats, {widest(apart)} frames off {TEMPO} beats/min",
          len(beats) in (44, 45) and max(map(abs, apart)) < 1)
    clicks = onsets(files["click"], 4800)
    # The session can start within a click.
    if clicks and clicks[0] == 0:
        clicks = clicks[1:]
    late = [click - beat for click, beat in zip(clicks, beats)]
    check(f"short: {len(clicks)} clicks begin {widest(late)} frames after their beats",
          len(clicks) == len(beats) and min(late, default=9) >= 0 and max(late, default=9) <= 1)
    form, division, tracks = read_midi(os.path.join(place, "session.mid"))
    titles = [next((event[2:].decode() for _, event in track if event[:2] == b"\xff\x03"), "") for track in tracks]
    check(f"short: session.mid has format {form} and the tracks {', '.join(titles[1:])}",
          form == 1 and titles[1:] == ["midi_in", "midi_out"])
    map_ = Times(division, tracks[0])
    whole = [map_.frame(tick) - beats[index] for index, tick in enumerate(
        sorted({tempo[0] for tempo in map_.tempos if tempo[0] > 0})[:len(beats)])]
    check(f"short: its beats are {widest(whole)} frames off", len(whole) == len(beats) and max(map(abs, whole)) < 1)
    named = [(map_.frame(tick), event[2:].decode()) for tick, event in tracks[0] if event[:2] == b"\xff\x06"]
    off = [here - frame for (here, _), (frame, _) in zip(named, marks)]
    tick = 60 * RATE / TEMPO / division
    check(f"short: its markers are {widest(off)} frames off, within half a tick", [name for _, name in named] == names
          and max(map(abs, off)) < tick / 2 + 1, str(named))
    ends = {map_.frame(track[-1][0]) - frames for track in tracks}
    check(f"short: its tracks end {widest(list(ends))} frames off the sound", max(map(abs, ends)) < tick / 2 + 1)
    sent = [(frame, bytes(map(int, rest.split()))) for frame, kind, rest in log if kind == "out"]
    kept = [(map_.frame(tick), event) for tick, event in tracks[2] if event[0] < 0xF0]
    off = [here - frame for (here, _), (frame, _) in zip(kept, sent)]
    check(f"short: it has midi_out's {len(sent)} messages, {widest(off)} frames off",
          [event for _, event in kept][:len(sent)] == [event for _, event in sent]
          and max(map(abs, off), default=9) < tick / 2 + 1, f"{sent}, {kept}")
    ons = [event[1] for _, event in kept if event[0] >> 4 == 9 and event[2]]
    offs = [event[1] for _, event in kept if event[0] >> 4 == 8 or event[0] >> 4 == 9 and not event[2]]
    check(f"short: a note off for each of {len(ons)} notes", len(ons) == 7 and sorted(ons) == sorted(offs),
          f"{ons}, {offs}")
    starts = onsets(files["grid"], 480)
    first = [frame for frame, event in sent if event[0] >> 4 == 9][:1]
    late = starts[0] - first[0] if starts and first else None
    check(f"short: grid.wav begins {late} frames after the first note", late in range(0, 49))


# --- Import into Ardour


def judge_ardour():
    with open(os.path.join(work, "recorded"), encoding="utf-8") as file:
        place = file.read().strip()
    files = waves(place)
    head, log, _ = read_log(place)
    imported = session_ardour.Session(os.path.join(work, "ardour"))
    sounds = {name: rest for _, name, *rest in imported.regions if rest[0] is not None}
    check(f"Ardour: {len(sounds)} sounds are imported, {sum(len(rest[3]) for rest in sounds.values())} channels",
          sounds.keys() == files.keys()
          and all(len(rest[3]) == files[name].channels for name, rest in sounds.items()), str(imported.regions))
    spans = {tuple(rest[:3]) for rest in sounds.values()}
    check("Ardour: all regions have one position, length and start", len(spans) == 1, str(sounds))
    position, length, start = next(iter(spans))
    check(f"Ardour: they are at the time of the files, {position / RATE:.3f} s, with all their frames",
          position == files["in"].time and length == files["in"].frames and start == 0,
          f"{position}, {length}, {start}; not {files['in'].time}, {files['in'].frames}, 0")

    # The sum of the imported files. A mono track is on both channels.
    worst = 0
    for side in (0, 1):
        total = [0.0] * files["in"].frames
        for name, (_, _, _, sources) in sounds.items():
            if name != "in":
                samples = imported.samples(sources[min(side, len(sources) - 1)])
                total = list(map(operator.sub if name == "out" else operator.add, total, samples))
        worst = max(worst, max(total), -min(total))
    check(f"Ardour: its stems minus its mix are silence: at most {worst * (1 << 23):.2f} steps of 24 bits",
          worst * (1 << 23) <= 4.5 and len(total) == files["in"].frames)

    # The tempo map.
    beats = [frame for frame, kind, _ in log if kind == "beat"]
    off = [min((abs(frame - beat), frame - beat) for _, frame in imported.tempos)[1] for beat in beats]
    check(f"Ardour: its tempo map has our {len(beats)} beats, {widest(off)} frames off",
          len(imported.tempos) >= len(beats) and max(map(abs, off)) < 1, str(imported.tempos[:4]))
    steady = [tempo for tempo, frame in imported.tempos if frame >= beats[0] - 1]
    check(f"Ardour: its tempos are {min(steady):.3f} to {max(steady):.3f} beats/min",
          abs(min(steady) - TEMPO) < 0.05 and abs(max(steady) - TEMPO) < 0.05)
    print(f"      Ardour: its meters: {', '.join(f'{meter}/4 at {frame:.0f}' for meter, frame in imported.meters)}")
    notes = [rest for _, name, *rest in imported.regions if rest[0] is None]
    sent = [(frame, bytes(map(int, rest.split()))) for frame, kind, rest in log if kind == "out"]
    _, division, tracks = read_midi(imported.path(notes[0][3][0]))
    kept = [(imported.frame(tick / division), event) for track in tracks for tick, event in track if event[0] < 0xF0]
    off = [here - frame for (here, _), (frame, _) in zip(kept, sent)]
    check(f"Ardour: it has midi_out's {len(sent)} messages, {widest(off)} frames off",
          [event[:2] for _, event in kept][:len(sent)] == [event[:2] for _, event in sent]
          and max(map(abs, off)) < 60 * RATE / TEMPO / 960, f"{sent}, {kept}")
    peaks = {}
    for kind in ("null", "sum"):
        export = Wave(os.path.join(work, "exports", kind + ".wav"))
        samples = array.array("h", export.bytes(0, export.frames))
        peaks[kind] = max(max(samples), -min(samples))
        check(f"Ardour: its export \"{kind}\" has all frames", export.frames == files["in"].frames, str(export.frames))
    peak = max(max(map(abs, files["out"].samples(start, CHUNK))) for start in range(0, files["out"].frames, CHUNK))
    check(f"Ardour: it exports the stems minus the mix with a peak of {peaks['null']} steps of 16 bits, the dither, "
          f"and the stems with {peaks['sum']}, of {peak >> 16}", peaks["null"] <= 3
          and abs(peaks["sum"] - (peak >> 16)) <= 4)
    names = {}
    for frame, kind, rest in log:
        if kind == "mark":
            names.setdefault(position + frame, []).append(rest)
    marks = [(frame, ", ".join(rest)) for frame, rest in sorted(names.items())]
    check(f"Ardour: with markers.lua it has our {len(marks)} markers, each at its frame", imported.marks == marks,
          f"{imported.marks}, not {marks}")
    print(f"      Ardour: {len(notes)} MIDI regions: {', '.join(rest[3][0] for rest in notes)}; cues of sources: "
          f"{ {name: len(cues) for name, cues in imported.cues.items() if cues} or 'none' }")


# --- The long session


def check_session(text, place, loops, xruns, lost_allowed):
    files = waves(place)
    frames = check_lengths(text, files, 6 + loops)
    lost = check_input(text, files["in"], lost_allowed, xruns)
    check_null(text, files, ["live", "harmony", "grid", "click", *(f"loop{each}" for each in range(1, loops + 1))])
    return frames, lost


def fill_loops(node, loops):
    for each in range(1, loops + 1):
        node.send(f"/loop/{each}/quantize", "off")
        node.send(f"/loop/{each}/gain", -6.0)
        node.send(f"/loop/{each}/record")
    time.sleep(1.5)
    for each in range(1, loops + 1):
        node.send(f"/loop/{each}/record")
    time.sleep(0.5)
    states = [node.value(f"/loop/{each}/state")[0] for each in range(1, loops + 1)]
    check(f"long: {loops} loops play", set(states) == {"playing"}, str(states))


def long(seconds):
    loops, stall = 16, os.path.join(work, "stall")
    server = Server("syrinx-rig-session", os.path.join(work, "jackd.log"), "-S")
    start_source(server)
    plain = dict(server.environment)
    server.environment.update(LD_PRELOAD=f"{work}/session-stall.so", SESSION_STALL=stall)
    home = os.path.join(work, "syrinx-home")
    node = start_node(server, "long", home, "--loops", str(loops))
    server.environment = plain
    listener = Listener(server)
    fill_loops(node, loops)

    def ask_disk(milliseconds):
        with open(stall + "~", "w", encoding="utf-8") as file:
            file.write(str(milliseconds))
        os.rename(stall + "~", stall)

    # A disk that stalls, and comes back.
    since, silences, xruns = len(node.received), listener.silences(), node.value("/status/xruns")[0]
    start_session(node)
    wait(node, max(2, seconds / 4))
    ask_disk(8000)
    longest, end = 0, time.monotonic() + 9
    while time.monotonic() < end:
        begun = time.monotonic()
        node.value("/session/state")
        longest = max(longest, time.monotonic() - begun)
        time.sleep(0.05)
    check("long: the disk has stalled", not os.path.exists(stall))
    check(f"long: the node answers within {longest:.3f} s meanwhile", longest < 0.25)
    wait(node, seconds)
    name = node.ask("/session/record", 0, limit=60)[2][0]
    xruns = node.value("/status/xruns")[0] - xruns
    told = errors(node, since)
    check("long: no error", not told, str(told))
    silent = listener.silences() - silences
    check(f"long: the sound goes on, with {silent} silent periods and {xruns} xruns", silent <= xruns)
    check_session("long", folder(node, home, name), loops, xruns, xruns > 0)
    shutil.rmtree(folder(node, home, name))

    # A disk that stalls for too long.
    since, xruns = len(node.received), node.value("/status/xruns")[0]
    start_session(node)
    wait(node, 3)
    ask_disk(12000)
    end = time.monotonic() + 25
    while node.value("/session/state")[0] == "on" and time.monotonic() < end:
        time.sleep(0.1)
    while not errors(node, since) and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(5)
    xruns = node.value("/status/xruns")[0] - xruns
    told = errors(node, since)
    check(f"stall: a stall of 12 s ends the session with one error: {told and told[0][-1]}",
          len(told) == 1 and told[0][:2] == ["/session/record", "io"], str(told))
    state = node.value("/session/state")
    check(f"stall: {state[1]:.1f} s are there", state[0] == "off" and state[1] > 11.9, str(state))
    check_session("stall", folder(node, home), loops, xruns, xruns > 0)
    shutil.rmtree(folder(node, home))

    # A kill.
    start_session(node)
    wait(node, 2)
    command(node, "/session/mark", "Verse")
    wait(node, 8)
    state = node.value("/session/state")
    node.kill()
    time.sleep(1)
    node = start_node(server, "killed", home, "--loops", str(loops))
    end = time.monotonic() + 20
    while "interrupted" not in node.said() and time.monotonic() < end:
        time.sleep(0.1)
    lines = [line for line in node.said().splitlines() if state[2] in line]
    check(f"kill: after a restart the node says: {lines and lines[0]}", len(lines) == 1)
    time.sleep(0.5)
    place = folder(node, home, state[2])
    frames, _ = check_session("kill", place, loops, "some", True)
    check(f"kill: {state[1] - frames / RATE:.3f} s of {state[1]:.1f} s are lost", state[1] - frames / RATE <= 0.5)
    head, log, ends = read_log(place)
    check("kill: session.txt ends with the length of the files", ends == [frames], str(ends))
    check("kill: session.mid, markers.csv and markers.lua are there",
          all(os.path.exists(os.path.join(place, each)) for each in ("session.mid", "markers.csv", "markers.lua")))
    marks = [(frame, rest) for frame, kind, rest in log if kind == "mark"]
    check("kill: all files have the marker as a cue", [rest for _, rest in marks] == ["Verse"]
          and all(file.cues == marks for file in waves(place).values()), str(marks))
    node.stop()

    listener.stop()
    # A full disk.
    small = os.path.join(work, "small")
    os.mkdir(small)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small], check=True)
    try:
        fill_disk(server, small)
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)
    server.stop()


def fill_disk(server, small):
    """Records until a disk is full."""
    home = os.path.join(small, "home")
    node = start_node(server, "full", home)
    listener = Listener(server)
    fill_loops(node, 2)
    since, silences, xruns = len(node.received), listener.silences(), node.value("/status/xruns")[0]
    start_session(node)
    end = time.monotonic() + 60
    while node.value("/session/state")[0] == "on" and time.monotonic() < end:
        time.sleep(0.1)
    time.sleep(7)
    xruns = node.value("/status/xruns")[0] - xruns
    told = errors(node, since)
    for each in told:
        print(f"      full: {' '.join(map(str, each))}")
    ended = [each for each in told if each[0] == "/session/record" and "the session ended" in each[-1]]
    check("full: /error tells that the session has ended, and before that why",
          len(ended) == 1 and any("No space" in each[-1] for each in told), str(told))
    silent = listener.silences() - silences
    check(f"full: the sound goes on, with {silent} silent periods and {xruns} xruns", silent <= xruns)
    place = folder(node, home)
    check_session("full", place, 4, xruns, xruns > 0)
    left = sorted(each for each in os.listdir(place) if not each.endswith(".wav"))
    print(f"      full: beside the sound: {' '.join(left)}; {os.statvfs(small).f_bavail * os.statvfs(small).f_bsize} "
          "bytes are free")
    shutil.rmtree(place)
    start_session(node)
    wait(node, 2)
    name = node.ask("/session/record", 0, limit=30)[2][0]
    check_lengths("full, then free", waves(folder(node, home, name)), 10)
    code = node.stop()
    check(f"full: the node exits with {code}", code == 0, node.said())
    listener.stop()


try:
    if sys.argv[2] == "short":
        short()
    elif sys.argv[2] == "ardour":
        judge_ardour()
    else:
        long(int(sys.argv[3]))
except Refused as refused:
    check("the node answers", False, str(refused))
sys.exit(1 if faults else 0)
