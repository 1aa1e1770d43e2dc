"""Types the commands of a page of the documentation into a shell, and compares their output.

    tour.py FOLDER PAGE

The shell starts in the folder, with the environment of this program.
"""

import os
import re
import select
import subprocess
import sys
import time

LIMIT = 60  # seconds for one command; only a command that hangs reaches it


def commands(page):
    """The commands in the code blocks of a page, each with the lines of output below it."""
    found, answering = [], False
    for line in page:
        text = line.strip()
        in_block = line.startswith("    ") and text
        if in_block and re.match(r"syrinx (?!run)\w|printf |ID=|mkdir ", text):
            # A comment follows the command.
            found.append((re.split(r"\s+# ", text)[0], []))
            answering = True
        elif in_block and answering:
            found[-1][1].append(text)
        elif text:
            answering = False
    return found


def fits(expected, answer):
    """Whether output is as expected, in which … matches any text, and a line of it any lines."""
    # Quotation marks are optional.
    expected, answer = (text.replace('"', "").strip() for text in (expected, answer))
    return re.fullmatch(re.escape(expected).replace("…", ".*"), answer, re.DOTALL) is not None


class Shell:
    """One bash for a whole page, so that variables of a line are set for later ones."""

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
                sys.exit(f"{command}\n  exited the shell")
            answer += piece
        text, status, _ = answer.split(self.END)
        return int(status), text.decode()


def clock():
    """The node's clock, in seconds of the sound that it has processed; None if it doesn't reply."""
    reply = subprocess.run(["syrinx", "send", "/clock"], capture_output=True, text=True).stdout.split()
    return int(reply[1]) / float(reply[3]) if reply[:1] == ["/clock"] else None


def pass_sound(seconds):
    """Waits until the node has processed this much sound, which takes longer on a busy machine."""
    begun, deadline = clock(), time.monotonic() + LIMIT
    while begun is not None and time.monotonic() < deadline:
        time.sleep(0.05)
        now = clock()
        if now is None or now - begun >= seconds:
            return


def complaint(command, expected, status, answer):
    """A description of how a command failed, or None."""
    refused = expected.startswith("syrinx: ")
    if status and not refused:
        return f"{command}\n  was refused with exit code {status}: {answer.strip()}"
    if refused and not status:
        return f"{command}\n  was not refused"
    if expected and not fits(expected, answer):
        return f"{command}\n  expected  {expected!r}\n  output    {answer.strip()!r}"
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
        # Less than a reader takes between two commands, and more than a buffer.
        pass_sound(0.2)
    name = os.path.basename(page)
    print(f"{name}: {len(tour) - wrong} of {len(tour)} commands work as shown")
    return 1 if wrong or not tour else 0


sys.exit(main(*sys.argv[1:]))
