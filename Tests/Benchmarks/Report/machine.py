"""A description of the machine."""

import os


def machine():
    with open("/proc/cpuinfo") as lines:
        names = [line.split(": ", 1)[1].strip() for line in lines if line.startswith("model name")]
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} x {names[0] if names else 'unknown'}, load {load:.1f}"
