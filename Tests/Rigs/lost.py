"""Causes faults that lose sound, and compares the causes that a node finds; see the rig `lost`.

    lost.py PORT NODE SERVER FIRST SECOND FOLDER EVICTED FAULTS

PORT is the node's OSC port; the next four are process ids of the node, the server and two clients. FOLDER has the
order files and programs, and EVICTED is a file whose pages the node reads.
"""

import collections
import mmap
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from osc import decode, encode  # noqa: E402

BURN, SLEEP, PAGES, DISK = 1, 2, 3, 4
# The length of a fault in milliseconds: a few buffers of 5.3 ms.
LENGTHS = (15, 60)
# The time in which a node must have found a cause, and the pause between two faults, in seconds.
PATIENCE = 4
PAUSE = (0.6, 1.4)
QUIET = 30
WRITING = 10


class Node:
    """The losses that a node reports."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(("127.0.0.1", port))
        self.renewed = 0

    def take(self, seconds):
        """The losses that are reported within a time; ends a second after the first."""
        deadline = time.monotonic() + seconds
        found = []
        while (left := deadline - time.monotonic()) > 0:
            if time.monotonic() > self.renewed + 20:
                self.renewed = time.monotonic()
                self.socket.send(encode("/subscribe", "/lost"))
            self.socket.settimeout(min(left, 1))
            try:
                packet = self.socket.recv(65536)
            except TimeoutError:
                continue
            for address, values in decode(packet):
                if address == "/lost":
                    found.append(values)
                    deadline = min(deadline, time.monotonic() + 0.4)
        return found

    def take_all(self, seconds):
        """The losses that are reported within a time."""
        end = time.monotonic() + seconds
        found = []
        while (left := end - time.monotonic()) > 0:
            found += self.take(left)
        return found


class Order:
    """A file that requests faults from a program."""

    def __init__(self, path):
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 8)

    def give(self, kind, milliseconds):
        self.map[4:8] = struct.pack("=i", milliseconds)
        self.map[0:4] = struct.pack("=i", kind)


def stop(process, milliseconds):
    os.kill(process, signal.SIGSTOP)
    time.sleep(milliseconds / 1e3)
    os.kill(process, signal.SIGCONT)


def evict(path):
    with open(path, "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def xruns(folder):
    """The number of xruns that the server has reported."""
    with open(f"{folder}/jackd.log", errors="replace") as file:
        return file.read().count("XRun")


def is_invented(losses, before, folder, what):
    """Reports losses without a fault, and whether the server reported none."""
    reported = xruns(folder) - before
    bad = len(losses) > reported
    print(f"{'FAULT' if bad else 'ok   '} {what}: {len(losses)} losses, and {reported} xruns of the server", flush=True)
    for loss in losses:
        print("     ", *loss[1:])
    return bad


def main():
    port, node, server, first, second = (int(word) for word in sys.argv[1:6])
    folder, evicted, count = sys.argv[6], sys.argv[7], int(sys.argv[8])
    own = Order(f"{folder}/node.order")
    clients = [Order(f"{folder}/first.order"), Order(f"{folder}/second.order")]
    dice = random.Random(27)

    def read_disk(length):
        evict(evicted)
        own.give(DISK, length)

    # The kinds, each with the accepted causes, and the function that causes it.
    kinds = {
        "own": (["own"], lambda length: own.give(BURN, length)),
        "pages": (["fault"], lambda length: own.give(PAGES, length)),
        "disk": (["fault", "disk"], read_disk),
        "client uses the CPU": (["client"], lambda length: dice.choice(clients).give(BURN, length)),
        "client sleeps": (["client"], lambda length: dice.choice(clients).give(SLEEP, length)),
        "client is stopped": (["client"], lambda length: stop(dice.choice([first, second]), length)),
        "cpu": (["cpu"], lambda length: subprocess.run([f"{folder}/lost-hog", str(length)], check=True)),
        "stopped": (["stopped"], lambda length: stop(node, length)),
        "server": (["server"], lambda length: stop(server, length)),
    }

    listener = Node(port)
    listener.take(2)
    before = xruns(folder)
    invented = is_invented(listener.take_all(QUIET), before, folder, f"{QUIET} s without a fault")
    writer = subprocess.Popen(
        ["dd", "if=/dev/zero", f"of={evicted}.written", "bs=4M", "oflag=dsync"], stderr=subprocess.DEVNULL)
    before = xruns(folder)
    written = listener.take_all(WRITING)
    writer.terminate()
    writer.wait()
    os.unlink(f"{evicted}.written")
    invented = is_invented(written, before, folder, f"{WRITING} s of a busy disk") or invented

    right, total = collections.Counter(), collections.Counter()
    for number in range(count):
        name = list(kinds)[number % len(kinds)]
        causes, put_in = kinds[name]
        length = dice.randint(*LENGTHS)
        time.sleep(dice.uniform(*PAUSE))
        put_in(length)
        losses = listener.take(PATIENCE)
        total[name] += 1
        if any(loss[2] in causes for loss in losses):
            right[name] += 1
        else:
            what = "; ".join(f"{loss[1]:.1f} ms {loss[2]}: {loss[3]}" for loss in losses) or "no loss"
            print(f"      {name}, {length} ms: {what}", flush=True)
    for name in kinds:
        print(f"      {name}: {right[name]} of {total[name]}")
    isright = sum(right.values()) >= 0.9 * count
    print(f"{'ok   ' if isright else 'FAULT'} {sum(right.values())} of {count} causes are right", flush=True)
    sys.exit(0 if isright and not invented else 1)


main()
