"""What the machine permits, and the time that other programs take from one, for rigs in Python."""

import os
import pathlib

# The option with which jackd starts here.
REALTIME = ["--realtime"] if os.system("chrt -f 10 true 2>/dev/null") == 0 else ["--no-realtime"]


def waited(*threads):
    """The time in milliseconds for which threads were ready to run and had no processor."""
    return sum(int(pathlib.Path(f"/proc/{each}/schedstat").read_text().split()[1]) for each in threads) / 1e6
