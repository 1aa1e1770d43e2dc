"""The program that renders and times the node's effects and the peers."""

import json
import pathlib
import subprocess

import numpy as np

from signals import RATE

PITCH, STRETCH, REVERB, ECHO, TRANSFORM, KEEPS_FORMANTS = 1, 2, 4, 8, 16, 32
GATE, LEVEL, TUNE, HARMONIES = 64, 128, 256, 512
OURS = "Syrinx"


class Tool:
    def __init__(self, program, peers, signals: pathlib.Path, work: pathlib.Path):
        self.command = [str(program)]
        for peer in peers:
            self.command += ["--peer", str(peer)]
        self.signals, self.work = signals, work

    def call(self, *arguments):
        done = subprocess.run(
            self.command + [str(a) for a in arguments],
            check=True, stdout=subprocess.PIPE, text=True,
        )
        return done.stdout

    def kinds(self):
        """The kinds of each effect, by its name; ours first."""
        lines = [line.split(" ", 1) for line in self.call("list").splitlines()]
        kinds = {name: int(number) for number, name in lines}
        return dict(sorted(kinds.items(), key=lambda item: not item[0].startswith(OURS)))

    def place(self, signal):
        return self.signals / f"{signal}.f32"

    def out(self, *parts):
        name = "-".join(str(part) for part in parts)
        return self.work / ("".join(c if c.isalnum() or c in "+-." else "_" for c in name) + ".f32")

    def render(self, effect, signal, *settings, block=128):
        """Both channels of the output."""
        out = self.out(effect, signal, *settings)
        self.call("render", effect, self.place(signal), out, block, *settings)
        samples = np.fromfile(out, np.float32).astype(float).reshape(-1, 2)
        out.unlink()
        return samples[:, 0], samples[:, 1]

    def stretch(self, effect, signal, ratio):
        out = self.out(effect, signal, "stretch", ratio)
        self.call("stretch", effect, self.place(signal), out, ratio)
        samples = np.fromfile(out, np.float32).astype(float)
        out.unlink()
        return samples

    def time(self, effect, signal, *settings, block=128, runs=3):
        return json.loads(
            self.call("time", effect, self.place(signal), block, runs, *settings)
        )

    def told_delay(self, effect, signal, *settings, block=128):
        """The latency that the effect itself reports, in ms."""
        frames = int(self.call("delay", effect, self.place(signal), block, *settings))
        return frames / RATE * 1000 if frames >= 0 else float("nan")

    def sweep(self, effect, signal, block=128):
        return json.loads(self.call("sweep", effect, self.place(signal), block))
