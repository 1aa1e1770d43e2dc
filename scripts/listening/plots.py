"""Draws all plots of the documentation; run by `scripts/plots`."""

import argparse
import pathlib

import level
import look
import pitch
import singing
import sounds
import space

parser = argparse.ArgumentParser()
parser.add_argument("--program", required=True)
parser.add_argument("--presets", type=pathlib.Path, required=True)
parser.add_argument("folder", type=pathlib.Path)
arguments = parser.parse_args()

play, plots = sounds.Player(arguments.program), look.Plots(arguments.folder)
arguments.folder.mkdir(parents=True, exist_ok=True)
pitch.draw(play, plots)
singing.draw(play, plots)
space.draw(play, plots)
level.draw(play, plots, arguments.presets)
