"""Runs in the virtual machine of the rig `usb`: starts jackd and the node, and reports about them on the console.

    usb-guest.py KEEPER NODE

KEEPER is scripts/rack/jackd. Prints what both say, and ten times a second a line `state UPTIME SERVER LOOP POSITION
LENGTH STEPS DELAY`, where DELAY is how long the replies took, in milliseconds. Reads commands: `record` records a loop
of clicks, `overdub` starts a layer, and `ports` lists those of the card that the node plays on; all are answered with
their word when they are done.
"""

import os
import select
import socket
import subprocess
import sys
import time

from osc import decode, encode

PORT = 9000


def start(*words, **variables):
    subprocess.Popen(words, env={**os.environ, **variables}, stdin=subprocess.DEVNULL)


class Node:
    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(1)

    def send(self, address, *values):
        self.socket.sendto(encode(address, *values), ("127.0.0.1", PORT))

    def ask(self, address, *values, reply=None):
        self.send(address, *values)
        try:
            while True:
                for name, found in decode(self.socket.recv(65536)):
                    if name == (reply or address):
                        return found
        except OSError:
            return None


def say(*words):
    print(*words, flush=True)


def ports():
    """The ports of the card that the node's output is connected to."""
    lines = subprocess.run(["jack_lsp", "-c", "syrinx:out_1"], capture_output=True, text=True, check=False).stdout
    return [line.strip() for line in lines.splitlines() if line.startswith(" ")]


def record(node):
    for address, value in (("/metronome/on", 1), ("/loop/1/beats", 4.0), ("/loop/1/quantize", "beat"),
                           ("/loop/1/source", "mix"), ("/loop/1/record", 1)):
        node.send(address, value)
    while (node.ask("/loop/1/state") or [""])[0] != "playing":
        time.sleep(0.1)
    node.send("/metronome/on", 0)
    node.send("/loop/1/quantize", "off")
    node.ask("/sync", 1, reply="/synced")


def main():
    keeper, program = sys.argv[1:]
    start(keeper, CARD="auto", RATE="48000", PERIOD="1024", NPERIODS="3", DRIVER_OPTIONS="--playback",
          JACKD_LOG="/tmp/jackd.log")
    node = Node()
    while subprocess.call(["jack_wait", "-w", "-t", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        pass
    start(program, "run", "-n", "syrinx", "-p", str(PORT), "--web", "0", "--connect", "--home", "/tmp/home")
    while node.ask("/ping", 1, reply="/pong") is None:
        time.sleep(0.2)
    while True:
        if select.select([sys.stdin], [], [], 0.1)[0]:
            word = sys.stdin.readline().strip()
            if word == "record":
                record(node)
            elif word == "overdub":
                node.send("/loop/1/overdub")
                node.ask("/sync", 2, reply="/synced")
            elif word == "ports":
                say("ports", *ports())
            say("did", word)
        begun = time.monotonic()
        server, state, history = (node.ask(each) for each in ("/status/server", "/loop/1/state", "/loop/1/history"))
        delay = (time.monotonic() - begun) * 1e3
        if server and state and history:
            say("state", f"{time.monotonic():.3f}", server[0], state[0], f"{state[1]:.3f} {state[2]:.3f}", history[0],
                f"{delay:.0f}")
        else:
            say("FAULT the node does not answer")


main()
