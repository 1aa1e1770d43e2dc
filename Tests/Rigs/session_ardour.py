"""Checks what Ardour has imported from a recorded session."""

import array
import os
import struct
import xml.etree.ElementTree as xml

SUPERCLOCK = 282240000  # ticks per second


def positions(text):
    """The frames of a position or a length@position in audio time, such as a5880@a11760; None for beats."""
    return [int(part[1:]) * 48000 / SUPERCLOCK if part.startswith("a") else None for part in text.split("@")]


def floats(path):
    """The samples of a mono file of 32-bit floats or 24-bit integers."""
    with open(path, "rb") as file:
        data = file.read()
    place, kind, bits = 12, 0, 0
    while place + 8 <= len(data):
        name, count = struct.unpack_from("<4sI", data, place)
        if name == b"fmt ":
            kind, _, _, _, _, bits = struct.unpack_from("<HHIIHH", data, place + 8)
        if name == b"data":
            sound = data[place + 8:place + 8 + count]
            if bits == 32:
                samples = array.array("f")
                samples.frombytes(sound[:len(sound) // 4 * 4])
                return samples
            wide = bytearray(len(sound) // 3 * 4)
            for byte in range(3):
                wide[byte + 1::4] = sound[byte::3]
            return array.array("f", (each / (1 << 31) for each in array.array("i", bytes(wide))))
        place += 8 + count + count % 2
    return array.array("f")


class Session:
    """An Ardour session: `regions` are (playlist, name, position, length, files)."""

    def __init__(self, folder):
        self.folder = folder
        self.root = xml.parse(f"{folder}/ardour.ardour").getroot()
        sources = {source.get("id"): source for source in self.root.iter("Source")}
        self.sources = list(sources.values())
        self.regions = []
        for playlist in self.root.find("Playlists"):
            for region in playlist.findall("Region"):
                length, position = positions(region.get("length"))
                names = [sources[region.get(f"source-{each}")].get("name") for each in range(2)
                         if region.get(f"source-{each}")]
                self.regions.append((playlist.get("name"), region.get("name"), position, length,
                                     positions(region.get("start"))[0], names))
        tempo = self.root.find(".//TempoMap")
        self.tempos = [(float(each.get("npm")), int(each.get("sclock")) * 48000 / SUPERCLOCK)
                       for each in tempo.iter("Tempo")]
        # The quarter notes of each tempo: beats and ticks of 1920.
        self.quarters = [sum(int(part) / unit for part, unit in zip(each.get("quarters").split(":"), (1, 1920)))
                         for each in tempo.iter("Tempo")]
        self.meters = [(int(each.get("divisions-per-bar")), int(each.get("sclock")) * 48000 / SUPERCLOCK)
                       for each in tempo.iter("Meter")]
        self.cues = {source.get("name"): [(each.get("name") or each.get("text"), each.get("position"))
                                          for each in source.iter("Cue")] for source in self.sources}
        # The markers: (frame, name).
        self.marks = sorted((positions(each.get("start"))[0], each.get("name")) for each in self.root.find("Locations")
                            if "IsMark" in each.get("flags").split(","))

    def frame(self, quarter):
        """The frame of a quarter note."""
        at = max(index for index, first in enumerate(self.quarters) if first <= quarter)
        tempo, frame = self.tempos[at]
        return frame + (quarter - self.quarters[at]) * 60 / tempo * 48000

    def path(self, name):
        for place, _, files in os.walk(f"{self.folder}/interchange"):
            if name in files:
                return os.path.join(place, name)
        raise SystemExit(f"{name} is missing from Ardour's session")

    def samples(self, name):
        return floats(self.path(name))
