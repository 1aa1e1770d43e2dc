"""Runs the virtual machine of the rig `usb`, and pulls its sound card.

    usb.py FOLDER KERNEL TIMES

Prints a line per time; exits with 1 if one failed. FOLDER has initrd and guest.sh, and receives console.log.
"""

import json
import pathlib
import socket
import subprocess
import sys
import threading
import time

# Generous: the machine is emulated, and the host may be busy.
PATIENCE = 90


class Fault(Exception):
    pass


class Machine:
    def __init__(self, folder, kernel):
        self.folder = folder
        self.lines = []
        control = folder / "control"
        self.process = subprocess.Popen(
            ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024", "-nographic",
             "-no-reboot", "-kernel", kernel, "-initrd", folder / "initrd",
             "-append", f"console=ttyS0 quiet panic=-1 guest={folder}/guest.sh",
             "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap",
             "-device", "qemu-xhci,id=hub", "-audiodev", "none,id=sound",
             "-qmp", f"unix:{control},server,nowait"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        threading.Thread(target=self.read, daemon=True).start()
        self.socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 20
        while True:
            try:
                self.socket.connect(str(control))
                break
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise Fault("QEMU does not start: " + " ".join(self.lines[-3:])) from None
                time.sleep(0.1)
        self.control = self.socket.makefile("rw")
        self.control.readline()
        self.command("qmp_capabilities")
        self.card = 0

    def read(self):
        with open(self.folder / "console.log", "w") as log:
            for line in self.process.stdout:
                log.write(f"{time.monotonic():.2f} {line}")
                log.flush()
                self.lines.append(line.strip())

    def command(self, name, **arguments):
        self.control.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.control.flush()
        while True:
            reply = json.loads(self.control.readline())
            if "error" in reply:
                raise Fault(f"QEMU: {reply['error']}")
            if "return" in reply:
                return

    def plug(self):
        self.card += 1
        self.command("device_add", driver="usb-audio", id=f"card{self.card}", audiodev="sound", bus="hub.0")

    def pull(self):
        self.command("device_del", id=f"card{self.card}")

    def tell(self, word):
        mark = len(self.lines)
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        self.wait(f"it did {word}", mark, lambda line: line == f"did {word}")

    def wait(self, what, mark, is_so):
        """Waits for a line after the first `mark` ones, and returns it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            for line in self.lines[mark:]:
                if line.startswith("FAULT"):
                    raise Fault(line)
                if is_so(line):
                    return line
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Fault(f"not within {PATIENCE} s: {what}")
            time.sleep(0.02)

    def state(self, mark=None, **wanted):
        """Waits for a line about the node with these values, and returns them all."""
        names = ("uptime", "server", "loop", "position", "length", "steps", "delay")

        def values(line):
            return dict(zip(names, line.split()[1:]))

        def is_so(line):
            if not line.startswith("state ") or len(line.split()) != 1 + len(names):
                return False
            return all(values(line)[name] == value for name, value in wanted.items())

        words = values(self.wait(f"the node is {wanted}", len(self.lines) if mark is None else mark, is_so))
        return {name: words[name] if name in ("server", "loop") else float(words[name]) for name in names}


def phase(state):
    """The time at which the loop last started, within its length."""
    return (state["uptime"] - state["position"]) % state["length"]


def pull(machine, number):
    before = machine.state(server="running", loop="playing")
    machine.tell("overdub")
    machine.state(loop="overdubbing")
    mark = len(machine.lines)
    machine.pull()
    machine.state(mark, server="gone")
    machine.wait("jackd is stopped", mark, lambda line: line.endswith("is gone"))
    time.sleep(4)
    answers = [line.split() for line in machine.lines[mark:] if line.startswith("state ")]
    worst = max(float(words[-1]) for words in answers if len(words) == 8)
    kept = machine.state(server="gone")
    mark = len(machine.lines)
    plugged = time.monotonic()
    machine.plug()
    machine.wait("jackd runs again", mark, lambda line: line.startswith("jackd runs on"))
    machine.wait("the node is back", mark, lambda line: "reconnected to the JACK server" in line)
    back = machine.state(mark, server="running")
    took = time.monotonic() - plugged
    mark = len(machine.lines)
    machine.tell("ports")
    ports = machine.wait("the ports", mark, lambda line: line.startswith("ports ")).split()[1:]
    shift = (phase(back) - phase(before) + before["length"] / 2) % before["length"] - before["length"] / 2
    faults = []
    if kept["loop"] != "playing" or back["loop"] != "playing":
        faults.append(f"the loop is {kept['loop']}, then {back['loop']}")
    if kept["steps"] != before["steps"] + 1 or back["steps"] != before["steps"] + 1:
        faults.append("the layer is lost")
    if ports != ["system:playback_1"]:
        faults.append(f"the node is connected to {ports}")
    print(f"{'FAULT' if faults else 'ok   '} {number}: {len(answers)} answers without the card, the slowest after "
          f"{worst:.0f} ms; back {took:.1f} s after it was plugged in, the loop {abs(shift) * 1e3:.0f} ms from its "
          f"time by replies and with xruns" + "".join("; " + each for each in faults), flush=True)
    return not faults


def main():
    folder, kernel, times = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    machine = Machine(folder, kernel)
    good = 0
    try:
        machine.wait("the keeper waits for a card", 0, lambda line: line.endswith("waiting for a sound card"))
        machine.plug()
        machine.state(0, server="running")
        machine.tell("record")
        machine.state(loop="playing")
        for number in range(1, times + 1):
            good += pull(machine, number)
    except Fault as fault:
        print(f"FAULT {fault}", flush=True)
    finally:
        machine.process.kill()
        machine.process.wait()
    print(f"{good} of {times} passed")
    return 0 if good == times else 1


if __name__ == "__main__":
    sys.exit(main())
