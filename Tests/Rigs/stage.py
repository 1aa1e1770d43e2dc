"""A JACK server without a card, a signal, and nodes that are driven over OSC, for rigs in Python."""

import array
import ctypes
import math
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from osc import decode, encode  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RATE = 48000
PERIOD = 256
_libc = ctypes.CDLL(None, use_errno=True)


def program():
    """The node to test: SYRINX_BINARY, or the release build of this folder."""
    path = os.environ.get("SYRINX_BINARY") or os.path.join(ROOT, ".build/release/syrinx")
    if not os.access(path, os.X_OK):
        sys.exit(f"{os.path.basename(sys.argv[0])}: not an executable file: {path}; build it with "
                 "`swift build -c release`")
    return path


def own_mounts():
    """Runs this program again with mounts and a /dev/shm of its own, if it doesn't run with them already."""
    if os.environ.get("SYRINX_OWN_MOUNTS"):
        return
    if os.geteuid() != 0:
        sys.exit(f"{os.path.basename(sys.argv[0])}: needs root, for a disk of its own")
    environment = dict(os.environ, SYRINX_OWN_MOUNTS="1", PYTHONDONTWRITEBYTECODE="1")
    os.execvpe(
        "unshare", ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh",
                    sys.executable, os.path.abspath(sys.argv[0]), *sys.argv[1:]], environment)


def clean_environment(work):
    """Keeps the programs of a rig away from the caller's session, server and sound system."""
    for name in ("NSM_URL", "NOTIFY_SOCKET", "LD_PRELOAD", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
                 "DBUS_SESSION_BUS_ADDRESS", "SYRINX_TO"):
        os.environ.pop(name, None)
    os.environ.update(HOME=work, XDG_RUNTIME_DIR=work, JACK_NO_START_SERVER="1",
                      SYRINX_PRESETS=os.path.join(ROOT, "Presets"))


def _ends_with_rig():
    _libc.prctl(1, signal.SIGKILL)


def spawn(arguments, **options):
    """Starts a program that ends with this one."""
    return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, preexec_fn=_ends_with_rig, **options)


class Server:
    """A JACK server of its own, of which `name` is the name; `options` are those of jackd."""

    def __init__(self, name, log, *options):
        self.name, self.log, self.options = name, log, options
        self.environment = dict(os.environ, JACK_DEFAULT_SERVER=name)
        self.start()

    def start(self):
        # A server may find the list of servers locked by one that starts or ends.
        for _ in range(3):
            with open(self.log, "wb") as out:
                self.process = spawn(
                    ["jackd", "--no-realtime", *self.options, "-n", self.name, "-d", "dummy", "-r", str(RATE), "-p",
                     str(PERIOD)], stdout=out, stderr=out)
            waited = subprocess.run(["jack_wait", "-w", "-t", "10"], env=self.environment,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if waited.returncode == 0:
                return
            self.process.kill()
            self.process.wait()
        sys.exit(f"the JACK server {self.name} does not start; see {self.log}")

    def signal(self, seed):
        """Starts a client with a tone whose level changes every 50 ms, so that each part of it is recognizable."""
        process = spawn([sys.executable, os.path.abspath(__file__), "signal", str(seed)], env=self.environment,
                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if process.stdout.readline() != b"ready\n":
            sys.exit("the client with the signal does not start")
        return process

    def connect(self, output, port):
        deadline = time.monotonic() + 5
        while subprocess.run(["jack_connect", output, port], env=self.environment, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL).returncode:
            if time.monotonic() > deadline:
                sys.exit(f"can't connect {output} to {port}")
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            # It waits for a client that was killed.
            self.process.kill()
            self.process.wait()


class Listener:
    """A client that counts silent periods in a node's output, but for those of its own xruns."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "listen"], env=server.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=_ends_with_rig)
        if self.process.stdout.readline() != "ready\n":
            sys.exit("the client that listens does not start")
        server.connect("syrinx:out_1", "listener:in")
        time.sleep(0.5)

    def silences(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def stop(self):
        self.process.kill()
        self.process.wait()


class Refused(Exception):
    """An answer of the node that refuses a message, with its code, or none."""

    def __init__(self, text, code=None):
        super().__init__(text)
        self.code = code


class Node:
    """A running node, and one client of it. `received` is (time in ns, address, values) of each message."""

    def __init__(self, server, home, log, *options, limit=20):
        self.log = log
        with open(log, "wb") as out:
            begun = time.monotonic()
            self.process = spawn(
                [program(), "run", "-n", "syrinx", "-p", "0", "--web", "0", "--home", home, *options],
                env=server.environment, stdout=subprocess.PIPE, stderr=out)
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        line = self.process.stdout.readline().decode() if ready else ""
        self.start = time.monotonic() - begun
        if not line.startswith("ready "):
            self.kill()
            raise Refused(f"the node does not become ready: {self.said() or 'no message'}")
        self.port = int(line.split("osc=osc.udp://")[1].split()[0].rsplit(":", 1)[1])
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.connect(("127.0.0.1", self.port))
        self.received = []
        self.changed = threading.Condition()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self):
        while True:
            try:
                packet = self.socket.recv(1 << 16)
            except OSError:
                return
            if not packet:
                return  # The socket was shut down.
            now = time.monotonic_ns()
            with self.changed:
                self.received += [(now, address, values) for address, values in decode(packet)]
                self.changed.notify_all()

    def send(self, address, *values):
        """Sends a message, and returns the time in ns."""
        now = time.monotonic_ns()
        try:
            self.socket.send(encode(address, *values))
        except OSError:
            pass  # The node has ended; the next wait for an answer says so.
        return now

    def until(self, matches, since, limit=15):
        """The first message from a place in `received` on that `matches`; raises Refused after the time limit."""
        deadline, at = time.monotonic() + limit, since
        with self.changed:
            while True:
                while at < len(self.received):
                    if matches(*self.received[at][1:]):
                        return self.received[at]
                    at += 1
                if not self.changed.wait(max(0, deadline - time.monotonic())) and time.monotonic() >= deadline:
                    raise Refused("no answer")

    def ask(self, address, *values, end=None, limit=15):
        """Sends a message and awaits its completion; returns (time sent, time answered, the answer's values).

        The answer is /reply for the address, or the message `end` if one is named.
        """
        def matches(got, arguments):
            if got == "/error" and arguments[0] == address:
                return True
            return got == end if end else got == "/reply" and arguments[0] == address

        since = len(self.received)
        sent = self.send(address, *values)
        try:
            when, got, arguments = self.until(matches, since, limit)
        except Refused:
            raise Refused(f"no answer to {address} {' '.join(map(str, values))}") from None
        if got == "/error":
            raise Refused(" ".join(map(str, arguments)), arguments[1])
        return sent, when, arguments if end else arguments[1:]

    def list(self, address, *values, item, end, limit=15):
        """The values of each `item` that answers a message, up to the message `end`."""
        since = len(self.received)
        self.send(address, *values)
        try:
            _, got, arguments = self.until(
                lambda got, arguments: got == end or got == "/error" and arguments[0] == address, since, limit)
        except Refused:
            raise Refused(f"no {end} after {address} {' '.join(map(str, values))}") from None
        if got == "/error":
            raise Refused(" ".join(map(str, arguments)), arguments[1])
        with self.changed:
            found = []
            for _, got, arguments in self.received[since:]:
                if got == item:
                    found.append(arguments)
                if got == end:
                    return found

    def value(self, address, limit=5):
        """The values of an address."""
        return self.ask(address, end=address, limit=limit)[2]

    def said(self):
        """What the node has written to its standard error."""
        with open(self.log, errors="replace") as file:
            return file.read().strip()

    def stop(self):
        """Ends the node with SIGTERM, or kills it when that takes too long; returns its exit code."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        code = self.process.wait()
        self._close()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self._close()

    def _close(self):
        self.process.stdout.close()
        if hasattr(self, "socket") and self.socket.fileno() >= 0:
            try:
                self.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.socket.close()


# --- The clients with and for the signal


class _Client:
    """A JACK client with one port, in a process of its own; `process` gets the address of each buffer."""

    def __init__(self, name, port, is_output, process):
        jack = ctypes.CDLL("libjack.so.0")
        for function in (jack.jack_client_open, jack.jack_port_register, jack.jack_port_get_buffer):
            function.restype = ctypes.c_void_p
        client = ctypes.c_void_p(jack.jack_client_open(name, 1, None))
        port = ctypes.c_void_p(jack.jack_port_register(
            client, port, b"32 bit float mono audio", ctypes.c_ulong(2 if is_output else 1), ctypes.c_ulong(0)))

        def called(frames, _):
            process(jack.jack_port_get_buffer(port, frames), frames)
            return 0

        self.kept = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p)(called)
        jack.jack_set_process_callback(client, self.kept, None)
        jack.jack_activate(client)
        print("ready", flush=True)


def _play(seed):
    steps, length = random.Random(seed), RATE // 20
    samples = array.array("f")
    for step in range(20 * 30):
        level = steps.uniform(0.1, 0.5)
        samples.extend(level * math.sin(2 * math.pi * 440 * (step * length + each) / RATE) for each in range(length))
    start, place = samples.buffer_info()[0], 0

    def process(buffer, frames):
        nonlocal place
        if place + frames > len(samples):
            place = 0
        ctypes.memmove(buffer, start + 4 * place, 4 * frames)
        place += frames

    client = _Client(b"signal", b"out", True, process)
    while client:
        signal.pause()


def _listen():
    silent, count, last = False, 0, time.monotonic()

    def process(buffer, frames):
        nonlocal silent, count, last
        now, former = time.monotonic(), last
        last = now
        sound = (ctypes.c_float * frames).from_address(buffer)
        # A tone of 440 Hz reaches its level within a few samples of any of these.
        was, silent = silent, max(abs(sound[at]) for at in range(0, frames, 8)) < 0.001
        if silent and not was and now - former < 2 * frames / RATE:
            count += 1

    client = _Client(b"listener", b"in", False, process)
    for _ in sys.stdin:
        print(count, flush=True)
    del client


if __name__ == "__main__":
    if sys.argv[1:2] == ["signal"]:
        _play(int(sys.argv[2]))
    elif sys.argv[1:2] == ["listen"]:
        _listen()
