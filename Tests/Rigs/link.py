"""Goes through the cases of Ableton Link's test plan with a node and two other implementations.

    link.py NODE PLAYER FOLDER [CASE...]
    link.py peer linkpython|aalink TEMPO

NODE is the program, and PLAYER the built Link/link-click.cpp. FOLDER is for data directories and logs. Without CASE
it runs all cases, each a function below, whose docstring is what the case requires. Prints one line per case, and
exits with 1 if one fails.

The node runs with `--link`. The peers are processes of their own, with the packages linkpython-extern and aalink,
which contain Link. Beats of the node are the onsets of its click at its JACK port, recorded by another client, which
converts their frames to Link's clock.
"""

import json
import math
import os
import pathlib
import re
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
import wave

# At the end: a peer's module has this file's name.
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from osc import decode, encode  # noqa: E402

RATE = 48000
BAR = 4
# Largest difference between the click of the node and that of another program, in milliseconds; and between its beats
# and those of a peer, or before and after a change, which are compared through a conversion of frames to time that
# has jitter itself.
CLOSE = 0.1
IN_SYNC = 1
# The time after which programs have joined or left, in seconds: the node may have to start a program.
JOINED = 10
# The time after an xrun in which clicks are not judged, in seconds.
SETTLING = 15


def micros():
    """Link's clock on Linux."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) / 1e3


def await_(seconds, condition):
    """Waits until a condition holds, and returns whether it does."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


# --- Peers, each in a process of its own


class LinkPython:
    """linkpython-extern: a wrapper of Link's session states."""

    def __init__(self, tempo):
        import link

        self.link = link.Link(tempo)
        self.link.startStopSyncEnabled = True
        self.link.enabled = True

    def at(self, times):
        state = self.link.captureSessionState()
        return [state.beatAtTime(round(each), BAR) for each in times]

    def state(self):
        state = self.link.captureSessionState()
        return {
            "tempo": state.tempo(), "playing": state.isPlaying(), "start": state.timeForIsPlaying(),
            "peers": self.link.numPeers(),
        }

    def change(self, name, value):
        state, now = self.link.captureSessionState(), self.link.clock().micros()
        if name == "tempo":
            state.setTempo(value, now)
        else:
            state.setIsPlaying(bool(value), now)
        self.link.commitSessionState(state)


class AALink:
    """aalink: Link for asyncio. Its values are those of the present."""

    def __init__(self, tempo):
        import asyncio
        import warnings
        import aalink

        warnings.simplefilter("ignore")
        self.link = aalink.Link(tempo, asyncio.new_event_loop())
        self.link.quantum = BAR
        self.link.start_stop_sync_enabled = True
        self.link.enabled = True

    def at(self, times):
        # The narrowest of a few readings, to exclude a preemption between clock and beat.
        readings = []
        for _ in range(9):
            before = micros()
            beat = self.link.beat
            after = micros()
            readings.append((after - before, (before + after) / 2, beat))
        _, now, beat = min(readings)
        return [beat + (each - now) * self.link.tempo / 60e6 for each in times]

    def state(self):
        return {
            "tempo": self.link.tempo, "playing": self.link.playing, "start": None, "peers": self.link.num_peers,
        }

    def change(self, name, value):
        if name == "tempo":
            self.link.tempo = value
        else:
            self.link.playing = bool(value)


def serve(kind, tempo):
    """Answers one JSON array per line: [COMMAND, VALUE]."""
    peer = {"linkpython": LinkPython, "aalink": AALink}[kind](tempo)
    changes = []

    def watch():
        latest = {}
        while True:
            state = peer.state()
            for name in ("tempo", "playing", "start"):
                if state[name] != latest.get(name):
                    changes.append((micros(), name, state[name]))
            latest = state
            time.sleep(0.005)

    threading.Thread(target=watch, daemon=True).start()
    for line in sys.stdin:
        name, value = json.loads(line)
        if name == "state":
            reply = peer.state()
        elif name == "at":
            reply = peer.at(value)
        elif name == "changes":
            reply = [each for each in changes if each[0] >= value]
        else:
            peer.change(name, value)
            reply = micros()
        print(json.dumps(reply), flush=True)
    peer.link.enabled = False
    time.sleep(0.1)
    os._exit(0)


class Program:
    """A process that ends with its standard input."""

    def __init__(self, command, log=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class Peer(Program):
    def __init__(self, kind, tempo):
        # Without this folder in the search path, where a package has the name of this file.
        super().__init__([sys.executable, "-P", __file__, "peer", kind, str(tempo)])
        self.kind = kind
        self.ask("state")

    def ask(self, name, value=None):
        self.process.stdin.write(json.dumps([name, value]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def set(self, name, value):
        """Returns the time of the change."""
        return self.ask(name, value)

    def __getattr__(self, name):
        if name not in ("tempo", "playing", "start", "peers"):
            raise AttributeError(name)
        return self.ask("state")[name]

    def values(self, name, since):
        """The values that a property has had."""
        return [value for _, each, value in self.ask("changes", since) if each == name]

    def changed(self, name, value, since):
        """The time at which a property took a value, or None."""
        return next((at for at, each, new in self.ask("changes", since) if (each, new) == (name, value)), None)


# --- JACK clients


class Player(Program):
    """A third program in the session that plays its beats."""

    def __init__(self, tempo):
        super().__init__([PLAYER, "play", "second", str(tempo)])
        assert self.process.stdout.readline() == "ready\n", "the second program does not start"


class Recorder(Program):
    """Records onsets: (frame, microseconds)."""

    def __init__(self):
        super().__init__([PLAYER, "record", "ear"])
        self.onsets = {1: [], 2: [], 3: []}
        self.midi, self.xruns, self.lost = [], [], []
        assert self.process.stdout.readline() == "ready\n", "the recorder does not start"
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            kind, *words = line.split()
            if kind == "onset":
                self.onsets[int(words[0])].append((int(words[1]), float(words[2])))
            elif kind == "midi":
                self.midi.append((float(words[1]), int(words[2], 16)))
            elif kind == "xrun":
                self.xruns.append(int(words[0]))
            elif kind == "lost":
                self.lost.append((int(words[0]), int(words[1])))

    def since(self, time, port=1):
        return [each for each in self.onsets[port] if each[1] >= time]


def connect(*pairs):
    def is_linked(one, other):
        command = dict(stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        subprocess.run(["jack_connect", one, other], **command)
        # A node restores its connections itself.
        return f"{other}\n" in subprocess.run(["jack_lsp", "-c", one], **command).stdout

    for pair in pairs:
        assert await_(5, lambda: is_linked(*pair)), f"can't connect {' to '.join(pair)}"


# --- The node


class Node:
    """A running node with `--link`, and the messages that it sent."""

    count = 0

    def __init__(self, home=None, settings=()):
        Node.count += 1
        self.home = home or FOLDER / f"home-{Node.count}"
        self.log = FOLDER / f"node-{Node.count}.log"
        command = [
            "setpriv", "--pdeathsig", "TERM", "--", NODE, "run", "-n", "syrinx", "-p", "0", "--web", "0", "--link",
            "--home", self.home,
        ]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                command + [word for each in settings for word in ("--set", each)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        ready = await_(15, lambda: "osc=" in self.log.read_text())
        assert ready, f"the node does not start: {self.log.read_text()}"
        port = int(re.search(r"^ready .*osc=osc.udp://[^ ]*:(\d+)", self.log.read_text(), re.M)[1])
        self.messages = []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(("127.0.0.1", port))
        threading.Thread(target=self._read, daemon=True).start()
        for pattern in ("/tempo", "/metronome", "/loop/1"):
            self.send("/subscribe", pattern)

    def connect(self):
        connect(("syrinx:click", "ear:in_1"), ("syrinx:midi_out", "ear:midi_in"))

    def _read(self):
        while True:
            try:
                packet = self.socket.recv(65536)
            except OSError:
                return
            if not packet:
                return
            now = micros()
            self.messages += [(now, *each) for each in decode(packet)]

    def send(self, address, *arguments):
        """Returns the time at which it was sent."""
        now = micros()
        self.socket.send(encode(address, *arguments))
        return now

    def ask(self, address, *arguments):
        """The first value of the reply."""
        since = len(self.messages)
        self.send(address, *arguments)
        found = []

        def replied():
            found[:] = [each for each in self.messages[since:] if each[1] in (address, "/reply", "/error")]
            return found

        await_(2, replied)
        return found[-1][2][-1 if found[-1][1] == "/error" else 0] if found else None

    def wait(self, seconds, address, value):
        """Waits until an address has a value, and returns whether it does."""
        return await_(seconds, lambda: same(self.ask(address), value))

    def seen(self, address, since, value=None):
        """The time of the first report of an address, or of one of its values; None without one."""
        return next((
            at for at, name, values in self.messages
            if at >= since and name == address and (value is None or same(values[0], value))), None)

    def errors(self):
        return [values for _, name, values in self.messages if name == "/error"]

    def follow(self):
        """Follows the session, and waits until it has joined it."""
        self.send("/tempo/source", "link")
        return self.wait(JOINED, "/tempo/locked", 1)

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.socket.close()

    def __enter__(self):
        try:
            self.connect()
        except AssertionError:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()


def same(one, other):
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) < 0.006
    return one == other


# --- Measurements


def errors(onsets, peer):
    """The distances of onsets to the nearest beats of a peer, in milliseconds."""
    beats, tempo = peer.ask("at", [at for _, at in onsets]), peer.tempo
    return [(each - round(each)) * 60e3 / tempo for each in beats]


def summary(values):
    """Median, rms and worst."""
    if not values:
        return "no clicks"
    rms = math.sqrt(sum(each * each for each in values) / len(values))
    return (
        f"{len(values)} clicks, median {statistics.median(values):+.3f}, rms {rms:.3f}, "
        f"worst {max(values, key=abs):+.3f} ms")


def listen(ear, seconds, peers, least):
    """Records the node's click; returns whether its beats are those of the peers, and the figures."""
    since = micros()
    time.sleep(seconds)
    onsets = ear.since(since)
    found = [(peer.kind, errors(onsets, peer)) for peer in peers]
    good = len(onsets) >= least and all(abs(each) < IN_SYNC for _, values in found for each in values)
    text = ", ".join(
        f"{kind} {max(values, key=abs):+.3f}" if values else f"{kind} -" for kind, values in found)
    return good, f"{len(onsets)} clicks, worst ms: {text}"


def grid(onsets, frames):
    """The largest deviation of onsets from the grid of the first one, in frames."""
    first = onsets[0][0]
    return max((abs((each - first + frames / 2) % frames - frames / 2) for each, _ in onsets), default=0)


class Result:
    """The checks of one case."""

    def __init__(self):
        self.parts, self.good = [], True

    def check(self, good, text):
        self.parts.append(text if good else f"FAILS: {text}")
        self.good = self.good and bool(good)


def join(node, peers, count):
    """Waits until all are in one session."""
    found = await_(JOINED, lambda: all(each.peers == count for each in peers))
    return found and (node is None or node.wait(JOINED, "/tempo/peers", count))


def pair(tempo, other=77, alone=True):
    """Two peers in one session: alone, at the first one's tempo, or with the node."""
    first = Peer("linkpython", tempo)
    # Of two sessions that are equally old, either may give way.
    time.sleep(1)
    second = Peer("aalink", other)
    found = await_(JOINED, lambda: first.peers == second.peers == 2 - alone and same(second.tempo, first.tempo))
    problem = f"{first.peers} and {second.peers} peers at {first.tempo} and {second.tempo} bpm"
    if not found:
        first.end()
        second.end()
    assert found, f"the peers are not in one session: {problem}"
    return first, second


# --- Cases


def take(home):
    """Adds a take of two seconds, which begins with its loudest sample, and returns its name."""
    home.mkdir(parents=True, exist_ok=True)
    path = home / "tone.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<hh", *[int(9000 * math.cos(i / 20))] * 2) for i in range(2 * RATE)))
    return subprocess.run(
        [NODE, "takes", "import", path, "--home", home], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def tempo_1(result, ear):
    """changes of the tempo reach all programs, and they stay in sync"""
    one, two = pair(120)
    with one, two, Node(settings=["/metronome/bpm=90"]) as node:
        result.check(join(node, (one, two), 2) and node.follow(), "joined")
        for text, change in (
            (97.0, lambda: node.send("/metronome/bpm", 97.0)),
            (133.0, lambda: two.set("tempo", 133)),
            (110.5, lambda: node.send("/metronome/bpm", 110.5)),
        ):
            change()
            good = await_(2, lambda: same(one.tempo, text) and same(two.tempo, text))
            good = good and node.wait(2, "/metronome/bpm", text)
            node.send("/metronome/on", 1)
            time.sleep(1)
            synced, figures = listen(ear, 2.5, (one, two), 3)
            result.check(good and synced, f"{text:g} bpm everywhere, {figures}")


def tempo_2(result, ear):
    """starting a program leaves the tempo of a session as it is"""
    home = FOLDER / "home-tempo-2"
    for source in ("own", "link"):
        with Node(home) as node:
            node.send("/tempo/source", source)
            node.send("/metronome/bpm", 100.0)
            result.check(node.wait(2, "/metronome/bpm", 100), f"{source}: 100 bpm, ended")
        one, two = pair(130)
        with one, two:
            since = one.set("playing", 1)
            with Node(home) as node:
                good = join(node, (one, two), 2)
                time.sleep(1)
                heard = one.values("tempo", since) + two.values("tempo", since)
                result.check(good and not heard, f"started: {node.ask('/tempo/peers')} peers, changes seen {heard}")
                if source == "own":
                    node.follow()
                good = node.wait(2, "/tempo/bpm", 130) and node.wait(2, "/metronome/bpm", 130)
                heard = one.values("tempo", since) + two.values("tempo", since)
                result.check(good and not heard, f"followed at {node.ask('/metronome/bpm'):g} bpm")


def tempo_3(result, ear):
    """loading a scene, or a set of loops, with another tempo leaves that of the session as it is"""
    home = FOLDER / "home-tempo-3"
    tone = take(home)
    with Node(home) as node:
        node.send("/metronome/bpm", 87.0)
        node.send("/loop/1/load", tone)
        result.check(node.wait(3, "/loop/1/state", "stopped"), "a loop")
        for address in ("/loops/save", "/scene/save"):
            result.check(node.ask(address, "slow") == address, f"{address} slow")
        node.send("/metronome/bpm", 130.0)
        node.wait(2, "/metronome/bpm", 130)
    one, two = pair(130)
    with one, two, Node(home) as node:
        good = join(node, (one, two), 2) and node.follow() and node.wait(2, "/metronome/bpm", 130)
        result.check(good, "joined at 130 bpm")
        for text, change in (
            ("loop set", lambda: node.send("/loops/load", "slow")),
            ("scene", lambda: node.send("/scene", "slow", "now")),
        ):
            since = change()
            time.sleep(1.5)
            heard = one.values("tempo", since)
            own = node.ask("/metronome/bpm")
            result.check(
                not heard and same(own, 130),
                f"{text} of 87 bpm: session {one.tempo:g}, node {own:g}, source {node.ask('/tempo/source')}, "
                f"changes seen {heard}")
            one.set("tempo", 130)
            node.follow()
            node.wait(2, "/metronome/bpm", 130)
        result.check(not node.errors(), f"errors {node.errors()}")


def tempo_4(result, ear):
    """in sync from 20 to 999 bpm"""
    one, two = pair(120)
    with one, two, Node() as node:
        result.check(join(node, (one, two), 2) and node.follow(), "joined")
        node.send("/metronome/on", 1)
        for tempo, seconds, least in ((20, 7, 2), (999, 3, 40)):
            since = one.set("tempo", tempo)
            time.sleep(1.5)
            synced, figures = listen(ear, seconds, (one, two), least)
            seen = [f"{each:g}" for each in two.values("tempo", since)]
            kept = same(one.tempo, tempo) and same(two.tempo, tempo)
            result.check(
                kept and synced,
                f"{tempo} bpm: session {' '.join(seen)}, node {node.ask('/tempo/bpm'):g} "
                f"(/metronome/bpm {node.ask('/metronome/bpm'):g}), {figures}")


def tempo_5(result, ear):
    """following Link alone leaves the node's tempo as it is"""
    with Node() as node:
        node.send("/metronome/on", 1)
        node.send("/metronome/bpm", 97.0)
        result.check(node.wait(JOINED, "/tempo/peers", 0), "alone")
        node.follow()
        time.sleep(1)
        tempos = [node.ask("/metronome/bpm"), node.ask("/tempo/bpm")]
        result.check(all(same(each, 97) for each in tempos), f"97 bpm, following: {tempos[0]:g}, {tempos[1]:g}")
        node.send("/metronome/bpm", 143.0)
        time.sleep(0.5)
        tempos = [node.ask("/metronome/bpm"), node.ask("/tempo/bpm")]
        result.check(all(same(each, 143) for each in tempos), f"then 143: {tempos[0]:g}, {tempos[1]:g}")
        node.send("/tempo/source", "own")
        time.sleep(0.5)
        tempos = [node.ask("/metronome/bpm"), node.ask("/tempo/bpm")]
        result.check(all(same(each, 143) for each in tempos), f"no longer following: {tempos[0]:g}, {tempos[1]:g}")


def beattime_1(result, ear):
    """following Link alone, and ending it, moves no beat"""
    with Node() as node:
        result.check(node.wait(JOINED, "/tempo/peers", 0), "alone")
        node.send("/metronome/bpm", 120.0)
        time.sleep(0.3)
        # In the middle of a beat of the session.
        since = node.send("/metronome/on", 1)
        time.sleep(2.2)
        for text, value in (("following", "link"), ("no longer", "own")):
            node.send("/tempo/source", value)
            time.sleep(2.5)
            onsets = ear.since(since)
            moved = grid(onsets, RATE / 2)
            result.check(
                moved <= IN_SYNC * RATE / 1000 and len(onsets) >= 3,
                f"{text}: {len(onsets)} clicks, moved {moved / RATE * 1000:.3f} ms")
            since = onsets[-1][1] - 1


def beattime_2(result, ear):
    """another program that joins moves no beat of the node"""
    with Node() as node:
        node.send("/metronome/bpm", 120.0)
        node.wait(JOINED, "/tempo/peers", 0)
        node.follow()
        since = node.send("/metronome/on", 1)
        time.sleep(1.2)
        since = micros()
        time.sleep(1)
        one, two = pair(77, 83, alone=False)
        with one, two:
            good = join(node, (one, two), 2)
            time.sleep(2)
            onsets = ear.since(since)
            moved = grid(onsets, RATE / 2)
            result.check(
                good and moved <= IN_SYNC * RATE / 1000 and len(onsets) >= 8,
                f"{len(onsets)} clicks, moved {moved / RATE * 1000:.3f} ms, {one.tempo:g} bpm")


def phase(peer, at):
    """The distance to the nearest bar, in milliseconds."""
    beat = peer.ask("at", [at])[0]
    return (beat / BAR - round(beat / BAR)) * BAR * 60e3 / peer.tempo


def startstopstate_1(result, ear):
    """a start elsewhere starts the node's clock with a bar, and a stop elsewhere stops its loops"""
    home = FOLDER / "home-start"
    tone = take(home)
    one, two = pair(120)
    with one, two, Node(home) as node:
        good = join(node, (one, two), 2) and node.follow()
        node.send("/loop/1/load", tone)
        node.send("/tempo/stop", 1)
        node.send("/tempo/send", 1)
        result.check(good and node.wait(3, "/loop/1/state", "stopped"), "joined, stopped")
        time.sleep(0.5)
        since = two.set("playing", 1)
        good = await_(2, lambda: node.seen("/tempo/playing", since, 1))
        result.check(good, f"plays {(node.seen('/tempo/playing', since, 1) or since) / 1e3 - since / 1e3:.0f} ms later")
        time.sleep(2.2)
        starts = [at for at, byte in ear.midi if at >= since and byte == 0xFA]
        result.check(
            len(starts) == 1 and abs(phase(one, starts[0])) < 1,
            f"MIDI Start {phase(one, starts[0]):+.2f} ms from a bar" if starts else "no MIDI Start")
        # A loop that is started now waits for a bar of the session.
        connect(("syrinx:out_1", "ear:in_2"))
        node.send("/loop/1/quantize", "bar")
        begun = node.send("/loop/1/play")
        await_(3, lambda: ear.since(begun, 2))
        onsets = ear.since(begun, 2)
        distance = phase(one, onsets[0][1]) if onsets else math.inf
        result.check(abs(distance) < 1, f"a loop starts {distance:+.3f} ms from a bar")
        since = two.set("playing", 0)
        good = await_(2, lambda: node.seen("/tempo/playing", since, 0))
        good = good and node.wait(2, "/loop/1/state", "stopped")
        result.check(good, f"stops, loop {node.ask('/loop/1/state')}")
        time.sleep(0.1)
        stops = [at for at, byte in ear.midi if at >= since and byte == 0xFC]
        result.check(len(stops) == 1, f"{len(stops)} MIDI Stop")


def startstopstate_2(result, ear):
    """a start by the node starts all with a bar, a stop stops all, and joining does neither"""
    home = FOLDER / "home-start"
    tone = take(home)
    one, two = pair(120)
    with one, two:
        since = one.set("playing", 1)
        good = await_(2, lambda: two.playing)
        with Node(home, ["/tempo/source=link"]) as node:
            good = join(node, (one, two), 2) and good
            node.send("/loop/1/load", tone)
            time.sleep(1)
            stopped = [each.values("playing", since) for each in (one, two)]
            result.check(
                good and one.playing and two.playing and not any(False in each for each in stopped)
                and node.ask("/loop/1/state") == "stopped",
                f"joined while they play: they play on, loop {node.ask('/loop/1/state')}")
            since = node.send("/tempo/playing", 1)
            time.sleep(0.5)
            result.check(
                one.playing and two.playing and node.ask("/tempo/playing") == 1 and not one.values("playing", since),
                "starts: they play on")
            since = node.send("/tempo/playing", 0)
            good = await_(2, lambda: not one.playing and not two.playing)
            at = one.changed("playing", False, since)
            result.check(
                good and node.wait(2, "/tempo/playing", 0),
                f"stops: they stop {(at or since) / 1e3 - since / 1e3:.0f} ms later")
            time.sleep(0.5)
            since = node.send("/tempo/playing", 1)
            good = await_(2, lambda: one.playing and two.playing) and node.wait(2, "/tempo/playing", 1)
            start = one.start
            result.check(
                good and start >= since and abs(phase(one, start)) < 1,
                f"starts: they start {(start - since) / 1e3:.0f} ms later, {phase(one, start):+.3f} ms from a bar")
            result.check(not node.errors(), f"errors {node.errors()}")


def audioengine_1(result, ear):
    """the click is heard with that of another program, within 0.1 ms"""
    one, two = pair(120)
    with one, two, Node() as node, Player(83) as _:
        good = join(node, (one, two), 3) and node.follow()
        node.send("/metronome/on", 1)
        # Both have a latency to compensate.
        connect(
            ("syrinx:out_1", "system:playback_1"), ("second:cycle", "system:playback_1"),
            ("second:callback", "system:playback_1"), ("second:cycle", "ear:in_2"), ("second:callback", "ear:in_3"))
        result.check(good, "joined")
        time.sleep(2)
        for tempo, seconds in ((120, 61), (133, 16)):
            begun = (len(ear.xruns), len(ear.lost))
            since = micros() if same(one.tempo, tempo) else one.set("tempo", tempo)
            time.sleep(1)
            settled = micros()
            time.sleep(seconds)
            until = micros() - 1e5
            clicks = [each for each in ear.since(since) if each[1] < until]
            xruns, lost = ear.xruns[begun[0]:], [frame for frame, _ in ear.lost[begun[1]:]]
            parts = []
            for port, name in ((2, "cycle times"), (3, "callback times")):
                others = [frame for frame, _ in ear.since(since - 1e6, port)]
                if not others:
                    others = [math.inf]
                found = [(frame, at, min((frame - each for each in others), key=abs) / RATE * 1000)
                         for frame, at in clicks]
                parts.append(f"{name}: {summary([each for _, at, each in found if at >= settled])}")
                if port == 2:
                    first = [each for _, at, each in found if at < settled]
                    rest = [(frame, each) for frame, at, each in found if at >= settled]
            # The server's clock and the node's settle within seconds after an xrun, each with its own filter.
            calm = [each for frame, each in rest
                    if not any(0 <= frame - other < SETTLING * RATE for other in xruns + lost)]
            far = [each for _, each in rest if abs(each) >= CLOSE]
            good = len(rest) >= int(seconds * tempo / 60) - 1 and len(calm) > len(rest) / 2
            text = f"{tempo} bpm, {'; '.join(parts)}"
            if tempo != 120:
                text += f"; in the first second after the change: worst {max(first, key=abs, default=0):+.3f} ms"
            text += f"; {len(xruns)} xruns, {len(lost)} gaps"
            if far or xruns or lost:
                text += (
                    f", {len(far)} clicks off by 0.1 ms or more; without {SETTLING} s after each xrun: {summary(calm)}")
            if len(calm) <= len(rest) / 2:
                text += ", too few clicks to judge"
            result.check(good and all(abs(each) < CLOSE for each in calm), text)


CASES = [
    tempo_1, tempo_2, tempo_3, tempo_4, tempo_5, beattime_1, beattime_2, startstopstate_1, startstopstate_2,
    audioengine_1,
]


def attempt(case, ear):
    result, xruns = Result(), len(ear.xruns)
    try:
        case(result, ear)
    except (AssertionError, OSError, ValueError) as problem:
        result.check(False, str(problem))
    result.xruns = len(ear.xruns) - xruns
    return result


def main(names):
    begun = time.monotonic()
    one, two = pair(120)
    one.end()
    two.end()
    print(f"ok    linkpython-extern and aalink find each other, {time.monotonic() - begun:.1f} s")
    wrong = 0
    with Recorder() as ear:
        for case in CASES:
            name = case.__name__.upper().replace("_", "-")
            if names and name not in names:
                continue
            result = attempt(case, ear)
            # An xrun of a server without a card moves its frames against the host's time.
            for _ in range(2):
                if result.good or not result.xruns or case is audioengine_1:
                    break
                result = attempt(case, ear)
            text = "; ".join(result.parts) + (f"; {result.xruns} xruns in all" if result.xruns else "")
            print(f"{'ok   ' if result.good else 'FAULT'} {name}: {case.__doc__}: {text}", flush=True)
            wrong += not result.good
    return 1 if wrong else 0


if sys.argv[1] == "peer":
    serve(sys.argv[2], float(sys.argv[3]))
NODE, PLAYER, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.exit(main(sys.argv[4:]))
