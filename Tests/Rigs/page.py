"""Fills a node with content, and takes screenshots of its page through ChromeDriver.

    page.py sounds HOME                           writes songs to a data directory
    page.py pictures DRIVER ADDRESS FOLDER NODE   saves screenshots of the page at ADDRESS; DRIVER is
                                                  ChromeDriver's port, NODE the process id of the
                                                  node, which is killed at the end
"""

import base64
import json
import math
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import wave

RATE = 48000
LIMIT = 10  # seconds; the limit of each wait

SIZES = {"phone": (360, 640), "tablet": (820, 1180), "laptop": (1440, 900)}
# The sizes of the stories: a tall phone, the same one on its side, and a small laptop.
HANDS = {"tall": (360, 740), "low": (740, 360), "small": (1280, 800)}
PAGES = ["play", "voice", "loop", "grid", "takes", "feed", "rig"]
TAKES = [
    ("Wren at the gate", "Troglodytes troglodytes", "Three verses, the last one cut off.", 52.52, 13.40),
    ("Alarm of a blackbird", "Turdus merula", "A cat under the hedge.", 48.14, 11.58),
    ("Nightingale", "Luscinia megarhynchos", "", 45.44, 12.33),
    ("Whistle for the second voice", "", "In E minor, a bit flat.", 59.91, 10.75),
    ("Tawny owl, two of them", "Strix aluco", "She calls, he answers.", 55.95, -3.19),
]


# --- Sounds


def song(seconds, notes):
    """Whistled notes separated by rests: one sample from -1 to 1 per frame."""
    frames = int(RATE * seconds)
    phase, sound = 0.0, []
    for frame in range(frames):
        at = frame / frames * len(notes)
        note, inside = notes[int(at)], at % 1
        hertz = 440 * 2 ** ((note + 0.3 * math.sin(frame / RATE * 36)) / 12)
        phase += 2 * math.pi * hertz / RATE
        swell = max(0.0, math.sin(math.pi * min(1, inside * 1.25))) ** 0.7
        sound.append(0.6 * swell * (0.5 + 0.5 * math.sin(frame / frames * math.pi)) * math.sin(phase))
    return sound


def write(path, sound):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", int(32767 * value)) for value in sound))


def sounds(home):
    notes = [12, 15, 19, 24, 22, 19, 17, 12]
    for number, name in enumerate(("Reed and hazel", "The pan pipes", "Syrinx", "Slow water")):
        write(pathlib.Path(home) / "music" / f"{name}.wav", song(6 + number, notes[number:] + notes[:number]))


# --- The node


def send(*words):
    """Sends the node a message, and returns the reply."""
    result = subprocess.run(
        ["syrinx", "send", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if result.returncode:
        sys.exit(f"syrinx send {' '.join(map(str, words))}: {result.stderr.strip()}")
    return result.stdout


def furnish():
    """Creates takes with locations, MIDI mappings, a playing loop of two layers, and two other loops."""
    send("/live/route", "off")  # only the tuner uses the tone
    send("/player/source", "mix")
    for number, (title, species, notes, north, east) in enumerate(TAKES):
        send("/location", north, east)
        send("/music/play", number % 4 + 1)
        send("/player/record")
        time.sleep(1.6 + 0.4 * number)  # the length of the take
        send("/player/stop")
        take = send("/take/save", title).split()[2]
        if species:
            send("/take/species", take, species)
        if notes:
            send("/take/notes", take, notes)
        if number < len(TAKES) - 1:
            send("/player/done")
    send("/midi/learn", "/echo/mix", 1)
    send("/midi/learn", "/pitch/semitones", 2)
    send("/player/play")
    send("/loop/overdub")
    time.sleep(1)  # the length of the second layer
    send("/loop/overdub")
    for number in (2, 3):
        send(f"/loop/{number}/source", "mix")
        send(f"/loop/{number}/record")
        time.sleep(0.5 + 0.6 * number)  # the length of the loop
        send(f"/loop/{number}/record")
    send("/loop/3/mute", 1)
    send("/loop/2/gain", -6)
    send("/music/stop")


# --- The browser

# The findings of axe, each with the first screenshot that shows it, and the number of states that it checked.
findings = {}
checked = 0


class Browser:
    def __init__(self, port):
        self.session = f"http://127.0.0.1:{port}/session"
        arguments = [
            "--headless=new", "--no-sandbox", "--force-device-scale-factor=1", "--hide-scrollbars",
            "--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ]
        wanted = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": "/usr/bin/chromium", "args": arguments},
        }
        self.session += "/" + self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            self.session + path, method=method, data=body and json.dumps(body).encode()
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as fault:
            sys.exit(f"{path}: {json.load(fault)['value']['message']}")

    def command(self, name, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": arguments})

    def wait(self, expression):
        end = time.monotonic() + LIMIT
        while not self.run(f"return !!({expression})"):
            if time.monotonic() > end:
                sys.exit(f"timed out after {LIMIT} s waiting for {expression}")
            time.sleep(0.05)

    def axe(self):
        """Returns what axe finds in the page as it is: each rule with the elements."""
        return self.ask("POST", "/execute/async", {"args": [], "script": """
            const done = arguments[0];
            axe.run(document).then((result) => done(result.violations.flatMap((rule) =>
              rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 200)}`))), (fault) => done([String(fault)]))
        """})

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def look(self, size, scheme):
        width, height = {**SIZES, **HANDS}[size]
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=size not in ("laptop", "small"),
        )
        self.command(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )

    def turn(self, page):
        self.run("location.hash = arguments[0]", page)
        self.wait(f"document.body.dataset.page === '{page}'")
        # Waveforms, lists and the map load later.
        time.sleep(0.5)


def photograph(browser, folder, name):
    """Takes a screenshot, and has axe check the same state."""
    global checked
    checked += 1
    for finding in browser.axe():
        findings.setdefault(finding, name)
    picture = browser.command("Page.captureScreenshot", format="png")["data"]
    (folder / f"{name}.png").write_bytes(base64.b64decode(picture))


def pictures(port, address, folder, node, axe):
    folder = pathlib.Path(folder)
    furnish()
    browser = Browser(port)
    try:
        everything(browser, address, folder, pathlib.Path(axe).read_text())
        said = browser.ask("POST", "/se/log", {"type": "browser"})
        gone(browser, folder, int(node))
    finally:
        browser.ask("DELETE", "")
    for line in said:
        print("console message:", line["message"], file=sys.stderr)
    for finding, name in findings.items():
        print(f"axe in {name}:", finding, file=sys.stderr)
    print(f"axe checked {checked} states, and found {len(findings)} faults")
    return 1 if said or findings else 0


def everything(browser, address, folder, axe):
    # Otherwise Chromium looks for its location in the network, and reports that there is none.
    browser.command("Browser.setPermission", permission={"name": "geolocation"}, setting="denied")
    browser.ask("POST", "/url", {"url": address})
    browser.wait("document.body.dataset.link === 'open' && document.querySelector('[data-row]')")
    browser.run(axe)
    for size in SIZES:
        for scheme in ("dark", "light"):
            browser.look(size, scheme)
            for page in PAGES:
                if page == "takes":
                    send("/music/play", 2)
                browser.turn(page)
                photograph(browser, folder, f"{page}-{size}-{scheme}")
                if page == "takes":
                    browser.click("#take-list .take-open")
                    browser.wait("document.querySelector('#take-title').value")
                    time.sleep(0.5)  # the waveform loads
                    photograph(browser, folder, f"{page}-open-{size}-{scheme}")
                    browser.click("#take-close")
                    send("/music/stop")
                    send("/player/play")
    field(browser, folder)
    for size in HANDS:
        browser.look(size, "dark")
        voices(browser, folder, size)
    seldom(browser, folder)
    hands(browser, folder)


def hands(browser, folder):
    """Takes screenshots of a phrase, the settings and the scales of the grid, and of the feed's player."""
    for size in HANDS:
        browser.look(size, "dark")
        browser.turn("grid")
        send("/phrase/record")
        for column in (1, 3, 5, 2, 4):
            send("/grid/touch", 1, column)
            time.sleep(0.2)
            send("/grid/release", 1, column)
        photograph(browser, folder, f"grid-recording-{size}")
        send("/phrase/play")
        time.sleep(0.5)  # its third note
        photograph(browser, folder, f"grid-phrase-{size}")
        for sheet in ("more", "scales"):
            browser.click(f"[data-sheet=grid-{sheet}]")
            time.sleep(0.5)
            photograph(browser, folder, f"grid-{sheet}-{size}")
        browser.click("#grid-scales [data-close]")
        send("/player/done")
        send("/player/record")
        browser.turn("feed")
        photograph(browser, folder, f"feed-recording-{size}")
        send("/player/stop")
        send("/player/play")


def voices(browser, folder, size):
    """Takes screenshots of a recording and its voices, of the piano, and of a notice."""
    browser.turn("play")
    word = "document.querySelector('#play-word').textContent"
    browser.click("[data-act=record]")
    browser.wait(f"{word} === 'Recording'")
    time.sleep(1.2)  # the length of the recording
    photograph(browser, folder, f"play-recording-{size}-dark")
    browser.click("[data-act=stop]")
    browser.wait(f"{word} === 'Choose a voice'")
    photograph(browser, folder, f"play-voices-{size}-dark")
    browser.click("[data-voice=snail]")
    browser.wait(f"{word} === 'Playing: Snail'")
    photograph(browser, folder, f"play-snail-{size}-dark")
    browser.click("[data-turn=piano]")
    photograph(browser, folder, f"play-piano-{size}-dark")
    browser.click("[data-turn=songs]")
    browser.wait("document.querySelectorAll('#song-list li').length === 4")
    send("/music/play", 4)
    browser.click("[data-press='/music/next']")
    browser.wait("document.querySelector('#notice').classList.contains('shown')")
    time.sleep(0.5)  # its transition
    photograph(browser, folder, f"songs-last-{size}-dark")
    send("/music/stop")
    browser.click("[data-view=takes]")
    browser.turn("play")
    browser.click("[data-turn=voice]")
    send("/preset", "dry")
    send("/player/play")


def seldom(browser, folder):
    """Takes screenshots of overlays on a phone, and of the states of the loop."""
    browser.look("phone", "dark")
    send("/preset", "thirds")
    for page, button, name in (
        ("voice", "[data-sheet=presets]", "presets"),
        ("voice", ".bar [data-sheet=channel]", "channel"),
        ("voice", ".bar [data-sheet=tune]", "tune"),
        ("voice", ".bar [data-sheet=harmony]", "harmony"),
        ("grid", "#piano-turn", "piano"),
        ("grid", "[data-sheet=grid-more]", "more"),
        ("takes", "[data-view=songs]", "songs"),
        ("takes", "[data-view=map]", "map"),
    ):
        browser.turn(page)
        browser.click(button)
        time.sleep(0.7)  # its transition
        photograph(browser, folder, f"{page}-{name}-phone-dark")
        browser.click({"presets": "#presets [data-close]", "more": "#grid-more [data-close]",
                       "piano": button}.get(
                           name, f"#{name} [data-close]" if page == "voice" else "[data-view=takes]"))
    send("/preset", "dry")
    browser.turn("loop")
    send("/loop/overdub")
    time.sleep(0.5)
    photograph(browser, folder, "loop-overdubbing-phone-dark")
    browser.click("#loop-choice .number")
    time.sleep(0.3)  # drawing
    photograph(browser, folder, "loop-chosen-phone-dark")
    browser.click("#loop-choice .all")
    send("/loop/overdub")
    send("/player/stop")
    send("/loop/quantize", "bar")
    send("/player/play")
    photograph(browser, folder, "loop-waiting-phone-dark")
    send("/loop/quantize", "off")
    time.sleep(2.5)  # the bar is over
    send("/player/stop")
    send("/player/done")
    photograph(browser, folder, "loop-empty-phone-dark")
    send("/player/record")
    time.sleep(1.2)
    photograph(browser, folder, "loop-recording-phone-dark")
    send("/player/stop")
    send("/player/play")
    browser.click("#lock")
    for page in ("voice", "grid"):
        browser.turn(page)
        photograph(browser, folder, f"{page}-locked-phone-dark")


def field(browser, folder):
    """Takes screenshots of recording from the list and the map, and of the bubble of a pin."""
    for size in SIZES:
        browser.look(size, "dark")
        browser.turn("takes")
        browser.click("#take-record")
        browser.wait("document.querySelector('#take-record').textContent === 'Stop'")
        time.sleep(1)  # the length of the take
        photograph(browser, folder, f"takes-on-air-{size}-dark")
        browser.turn("voice")
        photograph(browser, folder, f"voice-on-air-{size}-dark")
        browser.turn("takes")
        browser.click("[data-view=map]")
        photograph(browser, folder, f"map-on-air-{size}-dark")
        browser.click("#take-record")
        browser.wait("document.querySelector('.bubble-open')")
        time.sleep(0.5)  # its transition
        photograph(browser, folder, f"map-bubble-{size}-dark")
        browser.click("[data-view=takes]")


def gone(browser, folder, node):
    os.kill(node, signal.SIGKILL)
    browser.wait("document.body.dataset.link === 'lost'")
    time.sleep(0.5)
    photograph(browser, folder, "gone-phone-dark")


if sys.argv[1] == "sounds":
    sounds(sys.argv[2])
else:
    sys.exit(pictures(*sys.argv[2:]))
