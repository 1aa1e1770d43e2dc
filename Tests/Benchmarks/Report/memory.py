"""Prints the private memory of a program by part, from the file that libMemoryParts.so writes.

memory.py PROGRAM BLOCKS PROCESS
"""

import bisect
import re
import subprocess
import sys
from collections import Counter

# The first pattern that matches a caller of an allocation determines its part.
PARTS = [
    ("clips and undo steps", r"\bClip(Pool|Pages)\.(__allocating_)?init"),
    ("recent sound of the sources", r"\b(History\w+|SourceHistory)\.(__allocating_)?(init|tend)"),
    ("journal of loops", r"JournalMemory|LoopJournal"),
    ("instrument", r"SamplerInstrument|SoundMemory|InstrumentReading|SoundWorkshop"),
    ("queues of commands and events", r"CommandQueue|EventQueue|Schedule|PressQueue"),
    ("interpolation tables", r"SincBank|SincTable"),
    ("engines of loops", r"\b(LoopTape|Loops|Loop|ClipMemory)\.init"),
    ("live input and its effects", r"LiveInput|Echo|Reverb|Chain|HowlGuard"),
    ("sampler, songs, phrases, capture", r"Sampler|SongPlayer|Phrase|Capture"),
    ("engine, rest", r"Core\.init|Engine\."),
    ("OSC, web, JACK client", r"OSCServer|DatagramReader|WebDoor|WebServer|Membership|JackLink|MIDIBlock"),
]


def symbols(program):
    lines = subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True, check=True)
    found = []
    for line in lines.stdout.splitlines():
        address, kind, name = line.split(maxsplit=2)
        if kind in "tT":
            found.append((int(address, 16), name))
    return sorted(found)


def demangled(names):
    names = sorted(names)
    lines = subprocess.run(
        ["swift-demangle", "-compact"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, lines.stdout.splitlines()))


def private_bytes(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1)) * 1024


def main():
    program, path, process = sys.argv[1:]
    table = symbols(program)
    starts = [start for start, _ in table]
    blocks, names = [], set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words == ["end"]:
                break
            callers = []
            for word in words[2:]:
                address = int(word, 16)
                place = bisect.bisect_right(starts, address) - 1
                # Addresses of libraries are far outside the program.
                if place >= 0 and address < starts[-1] + (1 << 20):
                    callers.append(table[place][1])
            names.update(callers)
            blocks.append((int(words[1]), callers))
    plain = demangled(names)
    sizes = Counter()
    for resident, callers in blocks:
        callers = [plain[name] for name in callers]
        part = next(
            (part for part, pattern in PARTS if any(re.search(pattern, caller) for caller in callers)),
            "other allocations of a page or more")
        sizes[part] += resident
    whole = private_bytes(process)
    for part, size in sizes.most_common():
        print(f"{part:<42}{size / 1e6:>12.1f}")
    print(f"{'small allocations, stacks, program data':<42}{(whole - sum(sizes.values())) / 1e6:>12.1f}")
    print(f"{'all':<42}{whole / 1e6:>12.1f}")


main()
