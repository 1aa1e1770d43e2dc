"""Shared by the timing benchmarks: programs told over OSC, the stage, and tables."""

import os
import socket
import struct
import subprocess
import time

import numpy

from osc import decode, encode

RATE = 48000


class Program:
    """An OSC client of a program."""

    def __init__(self, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(("127.0.0.1", int(port)))
        self.socket.settimeout(0.5)
        self.own = "osc.udp://127.0.0.1:%d/" % self.socket.getsockname()[1]

    def send(self, address, *values, at=None):
        """Sends a message, in a bundle with a time of CLOCK_MONOTONIC if given."""
        packet = encode(address, *values)
        if at is not None:
            wall = at - time.monotonic() + time.time() + 2208988800
            head = b"#bundle\0", int(wall), int(wall % 1 * 2**32), len(packet)
            packet = struct.pack(">8sIIi", *head) + packet
        self.socket.send(packet)

    def get(self, address, *values, reply=None):
        """Sends a query; returns the values of the reply, or none after half a second."""
        self.send(address, *values)
        try:
            while True:
                for found, values in decode(self.socket.recv(65536)):
                    if found == (reply or address):
                        return values
        except (TimeoutError, ConnectionError):
            return []


class Stage:
    """The program that plays and records; see stage.c."""

    def __init__(self, ports, seconds, events=(), connect=(), ticks=None):
        self.file = os.path.join(os.environ["WORK"], "tape")
        self.ports = ports
        self.process = subprocess.Popen(
            [os.path.join(os.environ["WORK"], "stage"), self.file, str(seconds), *ports],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, **({"TICKS": ticks} if ticks else {})))
        self.process.stdin.write("".join(f"{frame} {data}\n" for frame, data in events) + "\n")
        self.process.stdin.flush()
        self.expect("ready")
        for one, other in connect:
            subprocess.run(["jack_connect", f"sender-{self.process.pid}:{one}", other], check=True,
                           stdout=subprocess.DEVNULL)
        self.process.stdin.close()
        self.zero = int(self.expect("start")) / 1e6

    def expect(self, word):
        line = self.process.stdout.readline().split()
        if not line or line[0] != word:
            raise SystemExit(f"stage: expected {word}, got {line}")
        return line[-1]

    def time(self, frame):
        return self.zero + frame / RATE

    def sleep_until(self, frame):
        time.sleep(max(0, self.time(frame) - time.monotonic()))

    def finish(self):
        """Returns the recordings by port, the xruns, and where frames were lost: (frame, how many)."""
        lines = [line.split() for line in self.process.stdout]
        lost = [(int(line[1]), int(line[2])) for line in lines if line[0] == "lost"]
        xruns = sum(int(line[1]) for line in lines if line[0] == "xruns")
        if self.process.wait():
            raise SystemExit("stage failed")
        tapes = numpy.fromfile(self.file, numpy.float32).reshape(len(self.ports), -1)
        return dict(zip(self.ports, tapes)), xruns, lost


def onsets(tape, above=1e-4, silence=2400):
    """The frames at which sound begins after so many frames of silence."""
    loud = numpy.flatnonzero(numpy.abs(tape) > above)
    return loud[numpy.diff(loud, prepend=-silence - 1) > silence] if len(loud) else loud


def table(head, rows):
    """Prints rows; numbers are strings already, and the first two columns are texts."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) if column < 2 else cell.rjust(width)
                        for column, (cell, width) in enumerate(zip(row, widths))).rstrip())
