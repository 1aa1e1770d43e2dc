"""A store of measured round trips, with which an interrupted run continues."""

import hashlib
import json
import pathlib
import shutil

import shelf
import trips


class Ledger:
    """Figures in a folder, one file per trip, valid while programs and measures are the same."""

    def __init__(self, folder: pathlib.Path, program):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        measures = [pathlib.Path(module.__file__) for module in (shelf, trips)]
        self.stamps = {
            effect: self.stamp([*measures, self.engine(effect, program)])
            for effect in trips.EFFECTS
        }

    @staticmethod
    def engine(effect, program):
        words = trips.command(effect, trips.Change(), "", "", program)
        return pathlib.Path(shutil.which(words[0]))

    @staticmethod
    def stamp(files):
        stamp = hashlib.sha256()
        for file in files:
            stamp.update(file.read_bytes())
        return stamp.hexdigest()

    def place(self, *trip):
        name = hashlib.sha256(f"{self.stamps[trip[0]]} {trip}".encode())
        return self.folder / f"{name.hexdigest()[:24]}.json"

    def find(self, *trip):
        try:
            return json.loads(self.place(*trip).read_text())
        except FileNotFoundError:
            return None

    def keep(self, *trip_and_figures):
        *trip, figures = trip_and_figures
        # Written atomically, in case the run is interrupted.
        new = self.folder / "new"
        new.write_text(json.dumps(figures))
        new.replace(self.place(*trip))
