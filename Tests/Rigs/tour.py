"""Runs the commands of a tour in a page of the documentation, and compares what they answer.

    tour.py PROGRAM HOST:PORT HOME FOLDER PAGE
    tour.py --tone SECONDS FILE

Their files are those of the folder. The second form writes a tone as a sound file for them.
"""

import math
import re
import shlex
import struct
import subprocess
import sys
import time
import wave


def write_tone(seconds, path):
    second = b"".join(
        struct.pack("<h", int(9000 * math.sin(2 * math.pi * 440 * n / 48000))) for n in range(48000)
    )
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 48000, 0, "NONE", ""))
        file.writeframes(second * seconds)


def commands(page):
    """Each command that stands in a block of the page, with the lines of answers below it."""
    found, answering = [], False
    for line in page:
        text = line.strip()
        in_block = line.startswith("    ") and text
        if in_block and re.match(r"syrinx (?!run)\w", text):
            found.append((text, []))
            answering = True
        elif in_block and answering:
            found[-1][1].append(text)
        elif text:
            answering = False
    return found


def fits(expected, answer):
    """Whether it is the expected answer, in which … is anything, and by itself any lines."""
    # The node prints texts without quotation marks.
    pattern = re.escape(expected.replace('"', "")).replace("…", ".*")
    return re.fullmatch(pattern, answer.strip(), re.DOTALL) is not None


class Shell:
    """Runs a command towards this node and this home folder."""

    def __init__(self, program, node, home, folder):
        self.program, self.node, self.home, self.folder = program, node, home, folder

    def __call__(self, command):
        words = shlex.split(command)[1:]
        if words[0] in ("send", "watch"):
            words[1:1] = ["--to", self.node]
        elif words[0] == "takes":
            words[2:2] = ["--home", self.home]
        done = subprocess.run(
            [self.program, *words], cwd=self.folder, timeout=30, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        return done.returncode, done.stdout


def complaint(command, expected, status, answer):
    """What is wrong with what a command did, or nothing."""
    refused = expected.startswith("syrinx: ")
    if status and not refused:
        return f"{command}\n  was refused with {status}: {answer.strip()}"
    if refused and not status:
        return f"{command}\n  was not refused"
    if expected and not fits(expected, answer):
        return f"{command}\n  the page has   {expected!r}\n  the answer is  {answer.strip()!r}"
    return None


def main(program, node, home, folder, page):
    shell = Shell(program, node, home, folder)
    with open(page, encoding="utf-8") as lines:
        tour = commands(lines)
    wrong, take = 0, "ID"
    for command, expected in tour:
        status, answer = shell(re.sub(r"\bID\b", take, command))
        # ID is the take that was saved last.
        saved = re.search(r"^/reply /take/save ([0-9a-f-]{36}) ", answer, re.MULTILINE)
        take = saved[1] if saved else take
        problem = complaint(command, re.sub(r"\bID\b", take, "\n".join(expected)), status, answer)
        if problem:
            print(problem, file=sys.stderr)
            wrong += 1
        # What a person takes between two commands, and more than a block.
        time.sleep(0.2)
    print(f"{len(tour) - wrong} of {len(tour)} commands do what the page says")
    return 1 if wrong or not tour else 0


if sys.argv[1] == "--tone":
    write_tone(int(sys.argv[2]), sys.argv[3])
else:
    sys.exit(main(*sys.argv[1:]))
