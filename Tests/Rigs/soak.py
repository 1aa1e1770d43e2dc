"""Plays a node for hours, at random, while servers, clients and disks fail, and watches it.

    soak.py NODE EAR CLOCK FOLDER HOURS SEED

NODE is the program, EAR the built soak-ear.c, CLOCK the built soak-clock.c, and FOLDER a disk of at most 256
MB, to be filled. Prints a line for each fault, one per ten minutes, and a table; exits with 1 if there was a
fault.
"""

import collections
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from machine import REALTIME, waited
from osc import decode, encode

RATES = (44100, 48000, 48000, 48000, 96000)
BLOCKS = (128, 256, 256, 512)
# Limits: the reply time in milliseconds, and the idle memory apart from the loops', as a share of the first
# value after twenty minutes. It is measured every ten minutes, with the same rate, instrument and scenes,
# which take most of it.
ANSWER = 50
MEMORY = 1.05
SETTLED = 600
# The addresses that end the node, use other machines, read files outside the soak's folder, or lose the takes
# whose names are checked.
LEFT_ALONE = ("/quit", "/feed", "/settings/pictures", "/take/picture", "/take/import", "/species", "/music/folder",
              "/instrument/load", "/transport/lead", "/subscribe", "/unsubscribe",
              "/take/delete", "/take/title")
NAMES = ("a", "b", "c", "major", "dorian", "A", "piano", "organ", "note:40", "controller:64", "")


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


class Ear:
    """The client that plays and listens."""

    def __init__(self, program, name, *pairs, server=None):
        environment = dict(os.environ)
        if server:
            environment["JACK_DEFAULT_SERVER"] = server
        self.totals = collections.Counter()
        self.held, self.peak = 0, 0.0
        self.process = subprocess.Popen([program, name, *pairs], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            words = line.split()
            if words[0] != "heard":
                continue
            for name, value in zip(("frames", "lost", "invalid", "loud"), words[1:5]):
                self.totals[name] += int(value)
            self.peak = max(self.peak, float(words[5]))
            self.held = int(words[6])

    def play(self, *message):
        try:
            self.process.stdin.write(" ".join(f"{byte:x}" for byte in message) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass

    def stop(self):
        self.process.kill()
        self.process.wait()


def lines_of(path):
    """The lines of a text file; none if it does not exist."""
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


class Soak:
    def __init__(self, program, ear, clock, folder, seconds, seed):
        self.program, self.folder, self.seconds = program, folder, seconds
        self.leaping = clock
        self.chance = random.Random(seed)
        self.start = time.monotonic()
        self.faults, self.counts = [], collections.Counter()
        self.took, self.titles, self.addresses = [], [], []
        self.memory, self.process, self.jackd = [], None, None
        self.began = self.settled = self.window = 0
        self.resting = False
        # Outside the disk, which fills up.
        self.clock = folder.parent / "clock"
        self.clock.write_bytes(struct.pack("=q", 0))
        self.log = open(folder.parent / "node.log", "w")
        self.calm = subprocess.Popen(
            ["jackd", *REALTIME, "-n", "soak-empty", "-d", "dummy", "-r", "48000", "-p", "256"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.empty = Ear(ear, "empty", server="soak-empty")
        self.begin_server()
        stems = [f"loop_{loop}=syrinx:loop_{loop}" for loop in range(1, 5)]
        self.ear = Ear(ear, "ear", "out_1=syrinx:out_1", "out_2=syrinx:out_2", "live=syrinx:live_1", *stems)
        self.begin_node()

    # --- Reports

    def now(self):
        return time.monotonic() - self.start

    def fault(self, text):
        self.counts["faults"] += 1
        self.faults.append(text)
        print(f"FAULT at {self.now():.0f} s: {text}", flush=True)

    # --- The server and the node

    def begin_server(self, rate=None):
        rate, block = rate or self.chance.choice(RATES), self.chance.choice(BLOCKS)
        self.rate = rate
        self.jackd = subprocess.Popen(
            ["jackd", *REALTIME, "-n", os.environ["JACK_DEFAULT_SERVER"], "-d", "dummy", "-r", str(rate), "-p",
             str(block)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["jack_wait", "-w", "-t", "20"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def lose_server(self, rate=None):
        self.jackd.kill()
        self.jackd.wait()
        time.sleep(self.chance.uniform(0, 8))
        self.begin_server(rate)
        self.counts["servers killed"] += 1
        self.expect("/status/server", "running", 10)

    def begin_node(self):
        environment = dict(os.environ)
        environment.update(LD_PRELOAD=self.leaping, SOAK_CLOCK=str(self.clock))
        self.process = subprocess.Popen(
            [self.program, "run", "-n", "syrinx", "-p", "0", "--web", str(free_port()), "--home", self.folder / "home"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.fault("the node does not start; see node.log")
            sys.exit(1)
        self.port = int(line.split("osc=osc.udp://")[1].split()[0].split(":")[1])
        self.web = int(line.split("web=http")[1].split("/")[2].split(":")[1])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        # All addresses arrive at once.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.connect(("127.0.0.1", self.port))
        self.began = time.monotonic()
        self.settled = self.window = 0
        self.at_rest = []
        if not self.addresses:
            self.read_addresses()
        self.check_titles()

    def end_node(self, number):
        self.process.send_signal(number)
        begun = time.monotonic()
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.fault(f"the node still runs 10 s after signal {number}")
            self.process.kill()
            code = self.process.wait()
        took = time.monotonic() - begun
        if number == signal.SIGTERM and (code != 0 or took > 5):
            self.fault(f"SIGTERM: code {code} after {took:.1f} s")

    def restart(self):
        number = self.chance.choice((signal.SIGTERM, signal.SIGKILL))
        if number == signal.SIGKILL:
            time.sleep(1)
        self.end_node(number)
        self.counts["starts after SIGTERM" if number == signal.SIGTERM else "starts after SIGKILL"] += 1
        self.begin_node()

    # --- Messages

    def ask(self, address, *values, reply=None, seconds=5):
        """The replies up to one on an address, or an error; None on timeout."""
        found, deadline = [], time.monotonic() + seconds
        try:
            self.socket.send(encode(address, *values))
            while True:
                self.socket.settimeout(max(0.001, deadline - time.monotonic()))
                for name, arguments in decode(self.socket.recv(65536)):
                    found.append((name, arguments))
                    if name == (reply or address) or name == "/error" and arguments[:1] == [address]:
                        return found
        except (socket.timeout, OSError):
            return None

    def expect(self, address, value, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = self.ask(address, seconds=1)
            if found and found[-1][1][:1] == [value]:
                return
            time.sleep(0.02)
        self.fault(f"{address} is not {value} within {seconds} s")

    def read_addresses(self):
        listed = subprocess.run([self.program, "addresses", "--json"], check=True, capture_output=True).stdout
        values = {row["address"]: row.get("values", []) for row in json.loads(listed)}
        found = self.ask("/addresses", reply="/addresses/end", seconds=10) or []
        for name, row in found:
            if name == "/address" and not row[0].startswith(LEFT_ALONE) and "{" not in row[0]:
                self.addresses.append((row[0], row[1], row[3], row[4], values.get(row[0], [])))
        if len(self.addresses) < 200:
            self.fault(f"/addresses lists {len(self.addresses)}")
            sys.exit(1)

    def argument(self, kind, least, most, words):
        chance = self.chance
        if chance.random() < 0.03:
            return chance.choice(("loud", float("nan"), float("inf"), -2147483648))
        if kind == "i":
            low, high = (least, most) if most > least else (-5, 20)
            return int(max(-2147483648, min(round(chance.uniform(low, high)), 2147483647)))
        if kind == "f":
            low, high = (least, most) if most > least else (-10, 100)
            return float(chance.choice((chance.uniform(low, high), low, high)))
        return chance.choice(words) if words else chance.choice(NAMES)

    def message(self):
        address, types, least, most, words = self.chance.choice(self.addresses)
        count = self.chance.randint(0, len(types)) if self.chance.random() < 0.3 else len(types)
        return encode(address, *(self.argument(kind, least, most, words) for kind in types[:count]))

    def packet(self):
        data = self.message()
        if self.chance.random() < 0.05:
            parts = b"".join(struct.pack(">i", len(each)) + each for each in (self.message() for _ in range(3)))
            return b"#bundle\0\0\0\0\0\0\0\0\1" + parts
        if self.chance.random() < 0.05:
            data = bytearray(data)
            data[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
        return bytes(data)

    def play(self, client):
        """A client that plays at random until the end of the soak."""
        while self.now() < self.seconds and self.process:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
                for _ in range(self.chance.randint(5, 400)):
                    while self.resting:
                        time.sleep(0.1)
                    if self.now() > self.seconds:
                        return
                    try:
                        own.sendto(self.packet(), ("127.0.0.1", self.port))
                        self.counts["messages"] += 1
                    except OSError:
                        pass
                    if self.chance.random() < 0.1:
                        self.ear.play(self.chance.choice((0x90, 0x80, 0xB0)), self.chance.choice((40, 41, 60, 64)),
                                      self.chance.randint(0, 127))
                    time.sleep(self.chance.expovariate(20))
            self.counts["clients"] += 1

    # --- Disturbances

    def throw(self):
        """Broken requests and frames, and connections that end in the middle."""
        port = self.chance.choice((self.port, self.web))
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as own:
                own.sendall(self.chance.choice((
                    b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"\x00\x00\x00\xff/mute", self.chance.randbytes(500),
                    b"GET /mute HTTP/1.1\r\nHost: localhost\r\n\r\n")))
                time.sleep(self.chance.uniform(0, 0.5))
        except OSError:
            pass
        self.counts["broken connections"] += 1

    def fill(self):
        filler = self.folder / "filler"
        try:
            with open(filler, "wb") as out:
                while True:
                    out.write(bytes(65536))
                    out.flush()
        except OSError:
            pass
        time.sleep(self.chance.uniform(2, 15))
        filler.unlink()
        self.counts["full disks"] += 1
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = self.ask("/status/saving", seconds=1)
            if found and found[-1][0] == "/status/saving":
                return
            time.sleep(0.2)
        self.fault("no reply to /status/saving after a full disk")

    def leap(self):
        # In place, because the node has it mapped.
        with open(self.clock, "r+b") as clock:
            clock.write(struct.pack("=q", int(self.chance.uniform(-90000, 90000) * 1e9)))
        self.counts["jumps of the clock"] += 1

    def save_take(self):
        """Saves a take; once this is confirmed, the take must exist after each start."""
        title = f"soak {len(self.titles) + 1}"
        loop = self.chance.randint(1, 4)
        # Other clients record and clear it at the same time.
        self.ask("/lock", 0)
        self.socket.send(encode(f"/loop/{loop}/keepSeconds", 1.0))
        time.sleep(0.2)
        found = self.ask(f"/loop/{loop}/save", title, reply="/reply", seconds=15)
        if found and found[-1][0] == "/reply" and title in found[-1][1]:
            self.titles.append(title)
            self.counts["takes"] += 1

    def check_titles(self):
        for title in self.titles[-20:]:
            found = self.ask("/takes/find", title, reply="/takes/end", seconds=15) or []
            if not any(name == "/take" and title in row for name, row in found):
                self.fault(f"the take {title}, which was answered as saved, is gone")

    def release(self):
        """Ends all notes: none may be held after that."""
        for key in (40, 41, 60, 64):
            self.ear.play(0x80, key, 0)
        for address in ("/phrase/stop", "/music/stop", "/note/allOff"):
            self.socket.send(encode(address))
        # A session of all ports fills the disk within minutes, and only the full disk would end it.
        self.socket.send(encode("/session/record", 0))
        for folder in (self.folder / "home/sessions").glob("2*"):
            if any(line.startswith("end ") for line in lines_of(folder / "session.txt")):
                shutil.rmtree(folder, ignore_errors=True)

    # --- Measurements

    def probe(self):
        thread = threading.get_native_id()
        try:
            before = waited(f"{self.process.pid}/task/{self.process.pid}", f"self/task/{thread}")
            begun = time.monotonic()
            found = self.ask("/ping", 7, reply="/pong", seconds=3)
            took = (time.monotonic() - begun) * 1e3
            after = waited(f"{self.process.pid}/task/{self.process.pid}", f"self/task/{thread}")
        except OSError:
            return
        if found is None:
            return self.fault("no reply to /ping within 3 s")
        took = max(0, took - (after - before))
        self.took.append(took)
        if took > ANSWER:
            self.fault(f"a reply took {took:.0f} ms")

    def measure(self):
        folder = pathlib.Path(f"/proc/{self.process.pid}")
        if self.process.poll() is not None:
            self.fault(f"the node ended with {self.process.returncode}")
            self.begin_node()
            return
        status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
        age = time.monotonic() - self.began
        self.memory.append((self.now(), age, self.resident(), int(status["Threads"]), len(os.listdir(folder / "fd"))))
        if int(age / SETTLED) > self.window:
            self.window = int(age / SETTLED)
            self.rest()
        for name in ("invalid", "loud"):
            if self.ear.totals[name]:
                self.fault(f"{self.ear.totals[name]} samples are {name}; the peak is {self.ear.peak}")
                self.ear.totals[name] = 0

    def resident(self):
        """The node's memory in MB, without the server's, and without the clips, undo steps and recent audio
        of the loops, which grow with use, up to the size of their pool: only these may be in huge pages (flag
        hg), except for their ends, which are adjacent mappings."""
        mappings = []
        for line in pathlib.Path(f"/proc/{self.process.pid}/smaps").read_text().splitlines():
            name, _, value = line.partition(":")
            if name == "Anonymous":
                mappings[-1][2] = int(value.split()[0])
            elif name == "VmFlags":
                mappings[-1][3] = "hg" in value.split()
            elif "-" in name.split()[0]:
                mappings.append([*(int(end, 16) for end in line.split()[0].split("-")), 0, False])
        ends = {end for start, end, _, is_huge in mappings if is_huge}
        starts = {start for start, end, _, is_huge in mappings if is_huge}
        return sum(size for start, end, size, is_huge in mappings
                   if not is_huge and start not in ends and end not in starts) / 1024

    def rest(self):
        """Measures the memory of a reproducible state."""
        self.resting = True
        time.sleep(0.5)
        # Delay lines keep memory once they have had sound, until they are recreated for another rate.
        if self.rate == 48000:
            self.lose_server(44100)
        self.lose_server(48000)
        self.release()
        self.ask("/lock", 0)
        for name in (self.ask("/scenes", seconds=3) or [("", [])])[-1][1]:
            self.socket.send(encode("/scene/delete", name))
        for loop in range(1, 5):
            self.socket.send(encode(f"/loop/{loop}/clear"))
        # The piano is larger, and loading it leaves the same fragments each time.
        for instrument in ("piano", "organ"):
            self.ask("/grid/instrument", instrument, reply="/reply", seconds=20)
        self.expect("/grid/instrument", "organ", 20)
        # Instruments are freed by their last note, and freed memory is returned within a minute.
        time.sleep(75)
        found = self.resident()
        self.at_rest.append(found)
        self.resting = False
        # Before the first measurement, the node has not used all that keeps memory.
        if self.window == 2:
            self.settled = found
        elif self.window > 2 and found > self.settled * MEMORY:
            self.fault(f"memory at rest is {found:.0f} MB, and was {self.settled:.0f} after twenty minutes")

    def run(self):
        players = [threading.Thread(target=self.play, args=(client,), daemon=True) for client in range(3)]
        for player in players:
            player.start()
        events = [(self.lose_server, 6), (self.throw, 20), (self.fill, 2), (self.leap, 3), (self.save_take, 6),
                  (self.release, 4), (self.restart, 1)]
        told = 0
        while self.now() < self.seconds:
            event = self.chance.choices([each for each, _ in events], [weight for _, weight in events])[0]
            # A node that is restarted too often never shows its leaks.
            if event != self.restart or time.monotonic() - self.began > 4 * SETTLED:
                event()
            for _ in range(self.chance.randint(5, 40)):
                self.probe()
                time.sleep(0.25)
            self.measure()
            if self.now() - told > 600:
                told = self.now()
                print(self.summary(), flush=True)
        for player in players:
            player.join(5)
        self.release()
        time.sleep(2)
        # Pedal LEDs are notes, too.
        self.socket.send(encode("/midi/lights", 0))
        self.release()
        time.sleep(3)
        if self.ear.held:
            self.fault(f"{self.ear.held} notes are held at the end")
        self.end_node(signal.SIGTERM)
        print(self.summary())
        for process in (self.ear, self.empty):
            process.stop()
        for process in (self.jackd, self.calm):
            process.kill()
            process.wait()

    def summary(self):
        took = sorted(self.took) or [0]
        last = self.memory[-1] if self.memory else (0, 0, 0, 0, 0)
        return (
            f"{self.now() / 3600:.2f} h: " + ", ".join(f"{count} {what}" for what, count in sorted(self.counts.items()))
            + f"; replies {took[len(took) // 2]:.1f} ms (median), {took[len(took) * 99 // 100]:.1f} (99 %), "
            f"{took[-1]:.0f} (slowest); {self.ear.totals['lost']} of {self.ear.totals['frames']} frames lost, "
            f"{self.empty.totals['lost']} of {self.empty.totals['frames']} on an empty server; "
            f"{last[2]:.0f} MB without loops (at rest {', '.join(f'{found:.1f}' for found in self.at_rest) or '-'}), "
            f"{last[3]} threads, {last[4]} descriptors")


if __name__ == "__main__":
    node, ear, clock, folder, hours, seed = sys.argv[1:7]
    soak = Soak(node, ear, clock, pathlib.Path(folder), float(hours) * 3600, int(seed))
    soak.run()
    sys.exit(1 if soak.faults else 0)
