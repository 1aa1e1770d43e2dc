"""Kills the server of a node in overdubs, and measures at its ports what is heard on the next one.

    card.py NODE STAGE FOLDER TIMES SEED

NODE is the program, and STAGE the built card-stage.c. Prints a line per time and a table; exits with 1 if a time
failed.
"""

import collections
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy

from machine import REALTIME, waited
from osc import decode, encode

RATES = (44100, 48000, 96000)
BLOCKS = (64, 128, 256, 512, 1024)
# The loop: four beats at 120 bpm, with a pulse in each.
BEAT = 0.5
CYCLE = 4 * BEAT
# Limits, in milliseconds; those of the layer's ends allow for the latency of the largest buffer and the fades.
ANSWER = 50
SOUND = 2000
PHASE = 0.2
LAYER = 100


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e3


class Fault(Exception):
    pass


class Node:
    """The node, and what a client asks it."""

    def __init__(self, program, folder):
        self.log = open(folder / "node.log", "w+")
        self.process = subprocess.Popen(
            [program, "run", "-n", "syrinx", "-p", "0", "--web", "0", "--fresh", "--home", folder / "home"],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            raise Fault("the node does not start: " + self.text()[-300:])
        port = int(line.split("osc=osc.udp://")[1].split()[0].split(":")[1])
        self.address = ("127.0.0.1", port)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.lock = threading.Lock()

    def text(self):
        self.log.flush()
        return pathlib.Path(self.log.name).read_text()

    def send(self, address, *values):
        self.socket.sendto(encode(address, *values), self.address)

    def ask(self, address, *values, reply=None, seconds=5):
        """Returns the reply, and the time that it took in milliseconds, apart from that of other programs."""
        with self.lock:
            reply = reply or address
            threads = f"{self.process.pid}/task/{self.process.pid}", f"self/task/{threading.get_native_id()}"
            before = waited(*threads)
            begun = now()
            self.send(address, *values)
            self.socket.settimeout(seconds)
            try:
                while True:
                    for name, found in decode(self.socket.recv(65536)):
                        if name == reply:
                            took = (now() - begun) / 1e3
                            return found, max(0, took - waited(*threads) + before)
            except socket.timeout:
                raise Fault(f"no reply to {address} within {seconds} s") from None

    def value(self, address):
        return self.ask(address)[0]

    def sync(self):
        return self.ask("/sync", 7, reply="/synced")[1]

    def wait(self, seconds, address, expected):
        deadline = time.monotonic() + seconds
        while self.value(address)[0] != expected:
            if time.monotonic() > deadline:
                raise Fault(f"{address} is not {expected} but {self.value(address)} after {seconds} s")
            time.sleep(0.005)


class Server:
    """A JACK server without a card, and the client that plays and records on it."""

    def __init__(self, stage, folder, rate, block):
        self.rate, self.block = rate, block
        name = os.environ["JACK_DEFAULT_SERVER"]
        self.path = folder / "sound"
        self.lines = []
        # It waits for the server.
        self.stage = subprocess.Popen(
            [stage, "stage", self.path, "syrinx:loop_1>stage:loop", "syrinx:click>stage:click"],
            stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()
        self.process = subprocess.Popen(
            ["jackd", *REALTIME, "--sync", "-n", name, "-d", "dummy", "-r", str(rate), "-p", str(block)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.start = self.line("start", 20)

    def read(self):
        for line in self.stage.stdout:
            self.lines.append(line.split())

    def line(self, word, seconds):
        deadline = time.monotonic() + seconds
        while True:
            for words in list(self.lines):
                if words[0] == word:
                    return [float(each) for each in words[1:]]
            if time.monotonic() > deadline:
                raise Fault(f"no line {word} of the stage within {seconds} s")
            time.sleep(0.005)

    @property
    def lost(self):
        return max([int(words[1]) for words in list(self.lines) if words[0] == "lost"], default=0)

    def frames(self):
        return self.path.stat().st_size // 8

    def record(self, seconds):
        """Returns the next seconds of sound: those of the loop and of the clicks."""
        first = self.frames()
        count = int(seconds * self.rate)
        deadline = time.monotonic() + 10 * seconds + 10
        while self.frames() < first + count:
            if time.monotonic() > deadline:
                raise Fault("the server stands still")
            time.sleep(0.02)
        sound = numpy.fromfile(self.path, dtype=numpy.float32, count=2 * count, offset=8 * first)
        return sound[0::2], sound[1::2]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        return now()

    def close(self):
        self.stage.kill()
        self.stage.wait()


def onsets(sound, level, rate):
    """The frames at which the sound exceeds a level after a tenth of a second below it."""
    loud = numpy.flatnonzero(numpy.abs(sound) > level)
    if not len(loud):
        return loud
    return loud[numpy.diff(loud, prepend=-rate) > rate // 10][1:]


def phase(loop, clicks, rate):
    """The delay of the loop's pulses after the clicks, in seconds within a beat."""
    pulses, beats = onsets(loop, 0.25, rate), onsets(clicks, 0.1, rate)
    if len(pulses) < 2 or len(beats) < 2:
        raise Fault(f"{len(pulses)} pulses and {len(beats)} clicks in the recording")
    delays = [(pulse - beats[0]) / rate % BEAT for pulse in pulses]
    return float(numpy.median(delays))


def layer_of(loop, rate):
    """The share of a cycle with the layer, in seconds: where the level is nearer to 0.03 than to 0.02."""
    cycle = loop[: int(CYCLE * rate)]
    level = numpy.abs(cycle)
    quiet = level < 0.1
    return float(numpy.sum((level > 0.025) & quiet)) / rate


def connect(source, *targets, undo=False):
    for target in targets:
        subprocess.run(["jack_disconnect" if undo else "jack_connect", source, target],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


INPUTS = ("syrinx:in_1", "syrinx:in_2")


def set_up(node):
    for address, value in (("/metronome/on", 1), ("/live/route", "off"), ("/loop/1/beats", 4.0),
                           ("/loop/1/quantize", "beat"), ("/loop/lateness", 0.0)):
        node.send(address, value)
    connect("stage:pulses", *INPUTS)
    time.sleep(0.3)
    node.send("/loop/1/record")
    node.wait(10, "/loop/1/state", "playing")
    connect("stage:pulses", *INPUTS, undo=True)
    # The node restores these with each server.
    connect("stage:layer", *INPUTS)
    node.send("/loop/1/quantize", "off")
    node.sync()
    time.sleep(0.5)


class Watch(threading.Thread):
    """Asks the node while its server is gone, and keeps the slowest reply."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node, self.worst, self.effect, self.ends = node, 0.0, 0.0, False
        self.fault = None

    def run(self):
        try:
            while not self.ends:
                for address in ("/loop/1/state", "/status"):
                    self.worst = max(self.worst, self.node.ask(address)[1])
                self.effect = max(self.effect, self.node.sync())
                time.sleep(0.01)
        except Fault as fault:
            self.fault = fault

    def end(self):
        self.ends = True
        self.join()
        if self.fault:
            raise self.fault
        return self.worst, self.effect


def pull(node, server, stage, folder, dice, figures):
    """Kills the server in an overdub; returns the next one, and what was measured."""
    before = phase(*server.record(1.6), server.rate)
    steps = node.value("/loop/1/history")[0]
    node.send("/loop/1/overdub")
    node.sync()
    begun = now()
    time.sleep(dice.uniform(0.3, 0.9))
    cut = server.kill()
    server.close()
    added = (cut - begun) / 1e6
    node.wait(3, "/status/server", "gone")
    watch = Watch(node)
    watch.start()
    time.sleep(dice.choice((0.2, 1, 3, 10)) * dice.uniform(0.5, 1))
    rate, block = dice.choice(RATES), dice.choice(BLOCKS)
    found = {"rate": rate, "block": block}
    server = Server(stage, folder, rate, block)
    try:
        sound = server.line("sound", 10)[0]
        found["answer"], found["effect"] = watch.end()
        # From the first block on which a client could be.
        found["sound"] = (sound - server.start[0]) / 1e3
        node.wait(3, "/status/server", "running")
        loop, clicks = server.record(CYCLE + 0.4)
        difference = (phase(loop, clicks, rate) - before + BEAT / 2) % BEAT - BEAT / 2
        found["phase"] = difference * 1e3
        found["layer"] = (layer_of(loop, rate) - added) * 1e3
        state, history = node.value("/loop/1/state")[0], node.value("/loop/1/history")
        found["state"], found["steps"] = state, history[0] - steps
        node.send("/loop/1/undo")
        node.sync()
        time.sleep(0.05)
        found["rest"] = layer_of(server.record(CYCLE + 0.1)[0][int(0.1 * rate):], rate) * 1e3
        found["lost"] = server.lost
    except Fault as fault:
        found["fault"] = str(fault)
    for name, value in found.items():
        if isinstance(value, (int, float)):
            figures[name].append(value)
    return server, found


def faults_of(found):
    if "fault" in found:
        yield found["fault"]
        return
    if found["answer"] > ANSWER:
        yield f"the slowest reply took {found['answer']:.0f} ms"
    if found["sound"] > SOUND:
        yield f"sound after {found['sound']:.0f} ms"
    if abs(found["phase"]) > PHASE:
        yield f"the loop is {found['phase']:.2f} ms off its beat"
    if found["state"] != "playing" or found["steps"] != 1:
        yield f"the loop is {found['state']} with {found['steps']} more steps"
    if abs(found["layer"]) > LAYER:
        yield f"{-found['layer']:.0f} ms of the layer are missing"
    if found["rest"] > 1:
        yield f"undo leaves {found['rest']:.0f} ms of the layer"


def main():
    program, stage, folder, times, seed = sys.argv[1:]
    folder, times, dice = pathlib.Path(folder), int(times), random.Random(int(seed))
    figures = collections.defaultdict(list)
    failed = 0
    server = Server(stage, folder, 48000, 256)
    node = Node(program, folder)
    set_up(node)
    for number in range(1, times + 1):
        server, found = pull(node, server, stage, folder, dice, figures)
        faults = list(faults_of(found))
        failed += bool(faults)
        measured = ", ".join(
            f"{name} {found[name]:.2f}" for name in ("sound", "phase", "layer", "answer", "effect") if name in found)
        print(f"{'FAULT' if faults else 'ok   '} {number:3} {found['rate']:6} Hz {found['block']:5} frames: "
              + ("; ".join(faults) + "; " if faults else "") + measured + " ms", flush=True)
        if "fault" in found:
            print(node.text()[-2000:], flush=True)
            break
    print(f"\n{'':32}{'median':>10}{'worst':>10}   limit")
    for name, words, limit in (
            ("answer", "slowest reply without a server", ANSWER),
            ("effect", "slowest change without a server", ""), ("sound", "sound after the first block", SOUND),
            ("phase", "loop from its beat", PHASE), ("layer", "layer longer than played", LAYER)):
        values = numpy.abs(figures[name])
        if len(values):
            print(f"{words:32}{numpy.median(values):10.3f}{values.max():10.3f}{limit:8} ms")
    print(f"{failed} of {times} failed; the servers' clients lost {sum(figures['lost'])} frames in xruns")
    node.process.terminate()
    code = node.process.wait(10)
    if code != 0:
        print(f"FAULT the node exits with {code}")
    server.kill()
    server.close()
    return 1 if failed or code else 0


if __name__ == "__main__":
    sys.exit(main())
