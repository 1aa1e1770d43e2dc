"""Types the commands of a page of the documentation into a shell, and compares what they answer.

    tour.py FOLDER PAGE

The shell begins in the folder, with this environment.
"""

import os
import re
import select
import subprocess
import sys
import time

LIMIT = 10  # seconds for one command: a reader does not wait longer either


def commands(page):
    """Each command that stands in a block of the page, with the lines of answers below it."""
    found, answering = [], False
    for line in page:
        text = line.strip()
        in_block = line.startswith("    ") and text
        if in_block and re.match(r"syrinx (?!run)\w|printf |ID=|mkdir ", text):
            # What it is for stands behind it.
            found.append((re.split(r"\s+# ", text)[0], []))
            answering = True
        elif in_block and answering:
            found[-1][1].append(text)
        elif text:
            answering = False
    return found


def fits(expected, answer):
    """Whether it is the expected answer, in which … is anything, and by itself any lines."""
    # Texts with and without quotation marks are the same.
    expected, answer = (text.replace('"', "").strip() for text in (expected, answer))
    return re.fullmatch(re.escape(expected).replace("…", ".*"), answer, re.DOTALL) is not None


class Shell:
    """One bash for a whole page, so that what a line sets is there for those below it."""

    END = b"\x1e"

    def __init__(self, folder):
        self.bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )

    def __call__(self, command):
        line = "{ " + command + "\n} </dev/null; printf '\\036%d\\036' $?\n"
        self.bash.stdin.write(line.encode())
        self.bash.stdin.flush()
        answer, deadline = b"", time.monotonic() + LIMIT
        while answer.count(self.END) < 2:
            rest = deadline - time.monotonic()
            if rest < 0 or not select.select([self.bash.stdout], [], [], rest)[0]:
                sys.exit(f"{command}\n  takes longer than {LIMIT} s")
            piece = os.read(self.bash.stdout.fileno(), 65536)
            if not piece:
                sys.exit(f"{command}\n  ended the shell")
            answer += piece
        text, status, _ = answer.split(self.END)
        return int(status), text.decode()


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


def main(folder, page):
    shell = Shell(folder)
    with open(page, encoding="utf-8") as lines:
        tour = commands(lines)
    wrong = 0
    for command, expected in tour:
        status, answer = shell(command)
        problem = complaint(command, "\n".join(expected), status, answer)
        if problem:
            print(problem, file=sys.stderr)
            wrong += 1
        # What a person takes between two commands, and more than a block.
        time.sleep(0.2)
    name = os.path.basename(page)
    print(f"{name}: {len(tour) - wrong} of {len(tour)} commands do what the page says")
    return 1 if wrong or not tour else 0


sys.exit(main(*sys.argv[1:]))
