"""An evening with a node, and the check of what a node has of it after a loss of power.

While the evening is played, `Evening` notes what the node has answered as saved, and when: its time is that of the
disk's log. `Morning` compares a node that was started after a cut with that.
"""

import bisect
import hashlib
import json
import os
import random
import struct
import threading
import time

from stage import Refused

LOOPS = 4
SECOND = 1_000_000_000
# What a loss of power may cost of what is not answered as saved: values, bindings and the newest layer, in ns.
GRACE = SECOND // 2
# While values change all the time, the state is written every 1.75 s.
CHANGING = 2 * SECOND + SECOND // 4
# The time of a message to the node, in ns.
REPORT = SECOND // 20
# A running capture may lose a second.
CAPTURE = SECOND
IN_LIBRARY = ("/settings/", "/location", "/feed/")
# Nobody listens on this port.
NOWHERE = "http://127.0.0.1:9"


class Promises:
    """What was saved under a key, and when: (time sent, time answered, value), None for what was deleted."""

    def __init__(self):
        self.events = {}
        self.lock = threading.Lock()

    def add(self, key, value, sent, answered):
        with self.lock:
            self.events.setdefault(key, []).append((sent, answered, value))

    def allowed(self, key, cut, grace=0):
        """All values that a key may have after a cut."""
        found = [None]
        for sent, answered, value in self.events[key]:
            if answered + grace <= cut:
                found = [value]
            elif sent <= cut:
                found.append(value)
        return found


class Evening:
    """Plays an evening, and notes promises in `saved` (answered), `set` (values), and the states of the loops."""

    def __init__(self, node, seed):
        self.node, self.random = node, random.Random(seed)
        self.saved, self.set = Promises(), Promises()
        # For each loop: (settled from, until, length, steps, peaks); the end is open while it is None.
        self.settled = {loop: [] for loop in range(1, LOOPS + 1)}
        # For each loop: (time sent, time ended, verb) of what lasts.
        self.lasting = {loop: [] for loop in range(1, LOOPS + 1)}
        # (start sent, begun, end sent, id) of captures.
        self.captures = []
        self.takes, self.deleted, self.counts = [], [], {}
        self.faults = []

    # --- The player: loops

    def settle(self, loop):
        """Notes the state of a loop that nothing changes."""
        since = time.monotonic_ns()
        node, peaks = self.node, None
        while True:
            # Peaks follow at most four times a second.
            time.sleep(0.3)
            former, peaks = peaks, node.value(f"/loop/{loop}/peaks")
            if former == peaks:
                break
        length = node.value(f"/loop/{loop}/state")[2]
        self.settled[loop].append([since, None, length, tuple(node.value(f"/loop/{loop}/history")), tuple(peaks)])

    def begin(self, loop, verb, *values):
        sent = self.node.send(f"/loop/{loop}/{verb}", *values)
        if self.settled[loop]:
            self.settled[loop][-1][1] = self.settled[loop][-1][1] or sent
        return sent

    def during(self, loop, verb, seconds):
        """Records, overdubs or replaces for a time."""
        entry = [self.begin(loop, verb), None, verb]
        self.lasting[loop].append(entry)
        time.sleep(seconds)
        self.begin(loop, verb)
        time.sleep(0.1)
        entry[1] = time.monotonic_ns()
        self.settle(loop)

    def once(self, loop, verb, *values):
        self.begin(loop, verb, *values)
        self.settle(loop)

    def play(self, end):
        """Plays loops until a time of CLOCK_MONOTONIC in seconds."""
        chance = self.random
        for loop in range(1, LOOPS + 1):
            self.during(loop, "record", chance.uniform(1, 2))
        while time.monotonic() < end:
            loop = chance.randint(1, LOOPS)
            steps = self.settled[loop][-1][3]
            move = chance.choice(["overdub", "overdub", "overdub", "replace", "undo", "redo", "record", "multiply"])
            if move in ("overdub", "replace"):
                self.during(loop, move, chance.uniform(0.4, 2))
            elif move == "record":
                self.once(loop, "stop")
                self.once(loop, "clear")
                self.during(loop, "record", chance.uniform(1, 2.5))
            elif move == "multiply":
                # Of loops that are short: they have at most ten seconds.
                if self.settled[loop][-1][2] < 3:
                    self.during(loop, "multiply", 0.8)
            elif move == "undo" and steps[0] > 1 or move == "redo" and steps[1] > 0:
                self.once(loop, move)

    # --- The desk: everything else

    def answered(self, key, value, address, *values, **options):
        """Sends a message, and notes what its answer promises."""
        try:
            sent, when, reply = self.node.ask(address, *values, **options)
        except Refused as refused:
            # A loop that is recorded can't be saved.
            if refused.code == "state":
                return None
            raise
        self.saved.add(key(reply) if callable(key) else key, value, sent, when)
        return reply

    def number(self, kind):
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return self.counts[kind]

    def change(self, address, *values):
        sent = self.node.send(address, *values)
        self.set.add(address, list(values), sent, sent)

    def work(self, end):
        """Uses the desk until a time of CLOCK_MONOTONIC in seconds."""
        deeds = [self.save_take, self.save_take, self.edit_take, self.edit_take, self.delete_take, self.restore_take,
                 self.save_preset, self.save_preset, self.delete_preset, self.save_scene, self.save_setlist,
                 self.save_loops, self.delete_loops, self.bind, self.bind, self.forget, self.adjust, self.adjust,
                 self.adjust, self.post, self.capture]
        waiting = []
        while time.monotonic() < end:
            if not waiting:
                # Each of them, in another order every time.
                waiting = self.random.sample(deeds, len(deeds))
            waiting.pop()()
            time.sleep(self.random.uniform(0, 0.15))
        if self.captures and self.captures[-1][2] is None:
            self.capture()

    def save_take(self):
        title = f"Take {self.number('take')}"
        loop = self.random.randint(1, LOOPS)
        reply = self.answered(lambda reply: ("take", reply[0]), (title, ""), f"/loop/{loop}/save", title)
        if reply:
            self.takes.append([reply[0], title, ""])

    def edit_take(self):
        if not self.takes:
            return
        take = self.random.choice(self.takes)
        if self.random.random() < 0.5:
            take[1] = f"Edited {self.number('edit')}"
            self.answered(("take", take[0]), tuple(take[1:]), "/take/title", take[0], take[1])
        else:
            take[2] = f"Species {self.number('edit')}"
            self.answered(("take", take[0]), tuple(take[1:]), "/take/species", take[0], take[2])

    def delete_take(self):
        if len(self.takes) > 2:
            take = self.takes.pop(self.random.randrange(len(self.takes)))
            self.answered(("take", take[0]), "trash", "/take/delete", take[0])
            self.deleted.append(take)

    def restore_take(self):
        if self.deleted:
            take = self.deleted.pop()
            self.answered(("take", take[0]), tuple(take[1:]), "/take/restore", take[0])
            self.takes.append(take)

    def save_preset(self):
        name, value = f"preset{self.random.randint(1, 5)}", round(self.random.uniform(0.01, 9), 3)
        self.change("/echo/time", value)
        self.answered(("preset", name), value, "/preset/save", name)

    def delete_preset(self):
        name = f"preset{self.random.randint(1, 5)}"
        if self.saved.events.get(("preset", name), [(0, 0, None)])[-1][2] is not None:
            self.answered(("preset", name), None, "/preset/delete", name)

    def save_scene(self):
        name, value = f"scene{self.random.randint(1, 4)}", round(self.random.uniform(-40, 6), 3)
        self.change("/live/gain", value)
        self.answered(("scene", name), value, "/scene/save", name)

    def save_setlist(self):
        scenes = [name for (kind, name) in self.saved.events if kind == "scene"]
        if scenes:
            name, chosen = f"list{self.random.randint(1, 3)}", [self.random.choice(scenes) for _ in range(3)]
            self.answered(("setlist", name), chosen, "/setlist/save", name, *chosen)

    def save_loops(self):
        name, tempo = f"set{self.random.randint(1, 3)}", 60 + self.number("tempo") % 200
        self.change("/metronome/bpm", float(tempo))
        self.answered(("set", name), tempo, "/loops/save", name)

    def delete_loops(self):
        name = f"set{self.random.randint(1, 3)}"
        if self.saved.events.get(("set", name), [(0, 0, None)])[-1][2] is not None:
            self.answered(("set", name), None, "/loops/delete", name)

    def bind(self):
        address, trigger = f"/loop/{self.random.randint(1, LOOPS)}/overdub", f"note:{self.random.randint(40, 60)}"
        sent = self.node.send("/midi/bind", trigger, address)
        self.set.add(("binding", address, trigger), True, sent, sent)

    def forget(self):
        address = f"/loop/{self.random.randint(1, LOOPS)}/overdub"
        bound = [key for key, events in self.set.events.items()
                 if key[:2] == ("binding", address) and events[-1][2] is not None]
        if bound:
            sent = self.node.send("/midi/forget", address)
            for key in bound:
                self.set.add(key, None, sent, sent)

    def adjust(self):
        chance = self.random
        self.change(*chance.choice([
            ("/out/gain", round(chance.uniform(-20, 0), 3)),
            ("/reverb/mix", round(chance.uniform(0, 1), 3)),
            ("/loop/2/pan", round(chance.uniform(-1, 1), 3)),
            ("/loop/3/gain", round(chance.uniform(-20, 0), 3)),
            ("/settings/autoplay", chance.randint(0, 1)),
            ("/settings/startup", chance.randint(0, 1)),
            ("/settings/press/long", round(chance.uniform(0.2, 2), 3)),
            ("/location", round(chance.uniform(-80, 80), 3), round(chance.uniform(-80, 80), 3)),
            ("/feed/name", f"name{chance.randint(1, 1000)}"),
        ]))

    def post(self):
        text = f"Post {self.number('post')}"
        self.answered(("post", text), text, "/feed/post", text)

    def capture(self):
        if self.captures and self.captures[-1][2] is None:
            sent, when, reply = self.node.ask("/capture/on", 0)
            self.captures[-1] = (*self.captures[-1][:2], sent, reply[0])
            self.saved.add(("take", reply[0]), "capture", sent, when)
        else:
            sent = self.node.send("/capture/on", 1)
            while self.node.value("/capture/state")[0] != "on":
                time.sleep(0.01)
            self.captures.append((sent, time.monotonic_ns(), None, None))

    # --- All together

    def run(self, seconds):
        self.begun = time.monotonic_ns()
        end = time.monotonic() + seconds
        self.node.send("/subscribe", "/loop/*/peaks")
        threads = [threading.Thread(target=self._noting, args=(each, end)) for each in (self.play, self.work)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.5)
            # Renews the subscription.
            self.node.send("/ping")
        self.end = time.monotonic_ns()
        if self.faults:
            raise Refused("; ".join(self.faults))
        self.peaks = {loop: [] for loop in range(1, LOOPS + 1)}
        for when, address, values in self.node.received:
            if address == "/error" and values[1] != "state":
                raise Refused(" ".join(map(str, values)))
            parts = address.split("/")
            if parts[-1] == "peaks" and parts[2].isdigit():
                self.peaks[int(parts[2])].append((when, values))

    def _noting(self, play, end):
        try:
            play(end)
        except Refused as refused:
            self.faults.append(str(refused))

    def finish(self, home):
        """Reads the sounds of all takes, when the node has ended."""
        self.sounds = {}
        for folder in ("takes", "takes/trash"):
            for name in os.listdir(os.path.join(home, folder)):
                if name.endswith(".wav"):
                    self.sounds[name[:-4]] = sound(os.path.join(home, folder, name))


def sound(path):
    """A hash of the samples in a WAV file; an error's text if it isn't whole."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] not in (b"RIFF", b"RF64") or data[8:12] != b"WAVE":
        return "no WAV file"
    at = 12
    while at + 8 <= len(data):
        kind, length = data[at:at + 4], struct.unpack_from("<I", data, at + 4)[0]
        if kind == b"data":
            if at + 8 + length > len(data):
                return "shorter than its header says"
            return hashlib.sha1(data[at + 8:at + 8 + length]).hexdigest()
        at += 8 + length + length % 2
    return "no samples"


class Morning:
    """The check of a node that was started on the disk of an evening that was cut at a time in ns."""

    def __init__(self, evening, node, home, cut, deep):
        self.evening, self.node, self.home, self.cut, self.deep = evening, node, home, cut, deep
        self.faults = []
        # Loops whose recording or layer was interrupted, and those of them that the node names in its log.
        self.interrupted, self.named = 0, 0

    def fault(self, text):
        self.faults.append(text)

    def check(self):
        """Returns the faults, a line each."""
        try:
            self.values()
            self.takes()
            self.files()
            self.posts()
            for loop in range(1, LOOPS + 1):
                self.again(self.loop, loop)
            if self.deep:
                self.layers()
        except Refused as refused:
            self.fault(str(refused))
        self.whole()
        return self.faults

    def expect(self, promises, key, found, name, grace=0):
        allowed = promises.allowed(key, self.cut, grace)
        if not any(same(found, value) for value in allowed):
            last = [event for event in promises.events[key] if event[1] + grace <= self.cut]
            age = f", {(self.cut - last[-1][1]) / SECOND:.2f} s after it was set" if last else ""
            self.fault(f"{name} is {found}{age}; expected " + " or ".join(str(value) for value in allowed))

    # --- What was set

    def values(self):
        bindings = {(values[0], values[-1])
                    for values in self.node.list("/midi/bindings", item="/midi/binding", end="/midi/bindings/end")}
        for key in self.evening.set.events:
            if key[0] == "binding":
                found = True if key[1:] in bindings else None
                self.expect(self.evening.set, key, found, f"the binding of {key[1]} to {key[2]}", GRACE)
                continue
            found = self.node.value(key)
            grace = GRACE if key.startswith(IN_LIBRARY) else CHANGING
            # Before the first value was set, it had its default.
            if self.evening.set.allowed(key, self.cut, grace)[0] is not None:
                self.expect(self.evening.set, key, found, key, grace)

    # --- What was saved

    def takes(self):
        listed = self.node.list("/takes", 0, 500, item="/take", end="/takes/end")
        there = {values[0]: (values[1], values[2]) for values in listed}
        trash = {values[0] for values in
                 self.node.list("/takes/trash", 0, 500, item="/take/trashed", end="/takes/trash/end")}
        saved = self.evening.saved
        for kind, name in saved.events:
            if kind != "take":
                continue
            allowed = saved.allowed(("take", name), self.cut)
            found = "trash" if name in trash else there.get(name)
            if found is None and None not in allowed:
                self.fault(f"take {name} is missing; expected {allowed}")
            elif found is not None and not self.fits(found, allowed) and not self.is_capture(name):
                self.fault(f"take {name} is {found}; expected {allowed}")
            if found is None:
                continue
            path = os.path.join(self.home, "takes", "trash" if found == "trash" else "", name + ".wav")
            whole = sound(path) if os.path.exists(path) else "no file"
            if None not in allowed and whole != self.evening.sounds.get(name):
                self.fault(f"the sound of take {name} is not as saved: {whole}")
        known = {name for kind, name in saved.events if kind == "take"}
        for _, begun, ended, name in self.evening.captures:
            if begun + CAPTURE < self.cut < ended and name not in there:
                self.fault(f"the capture of {(self.cut - begun) / SECOND:.2f} s is missing")
            elif begun + CAPTURE < self.cut < ended:
                length = next(values[4] for values in listed if values[0] == name)
                if length < (self.cut - begun - CAPTURE) / SECOND:
                    self.fault(f"of the capture of {(self.cut - begun) / SECOND:.2f} s only {length:.2f} s is left")
        for name in set(there) | trash:
            if name not in known and not there.get(name, ("",))[0].endswith("(recovered)"):
                self.fault(f"take {name} is unknown: {there.get(name)}")

    def fits(self, found, allowed):
        """Whether a take is as saved, or is recovered from a save that was not answered yet."""
        recovered = found != "trash" and None in allowed and found[0].endswith(" (recovered)")
        return found in allowed or recovered and (found[0].removesuffix(" (recovered)"), found[1]) in allowed

    def is_capture(self, name):
        return any(each == name and sent <= self.cut for sent, _, _, each in self.evening.captures)

    def files(self):
        for kind, folder, value in (
                ("preset", "presets", lambda got: got["set"]["/echo/time"]),
                ("scene", "scenes", lambda got: got["set"]["/live/gain"]),
                ("setlist", "setlists", lambda got: [each if isinstance(each, str) else each["scene"]
                                                     for each in got["scenes"]]),
                ("set", "sets", lambda got: got["tempo"])):
            for key in self.evening.saved.events:
                if key[0] != kind:
                    continue
                path, found = os.path.join(self.home, folder, key[1] + ".json"), None
                if os.path.exists(path):
                    try:
                        with open(path) as file:
                            got = json.load(file)
                        found = value(got)
                    except (ValueError, KeyError) as error:
                        self.fault(f"{folder}/{key[1]}.json is damaged: {error}")
                        continue
                    if kind == "set":
                        self.clips(key[1], got)
                self.expect(self.evening.saved, key, found, f"{kind} {key[1]}")
        for address, kind in (("/presets", "preset"), ("/scenes", "scene"), ("/setlists", "setlist")):
            names = self.node.value(address)
            for key in self.evening.saved.events:
                if key[0] == kind and None not in self.evening.saved.allowed(key, self.cut) and key[1] not in names:
                    self.fault(f"{kind} {key[1]} is missing in {address}")

    def clips(self, name, got):
        for loop in got["loops"]:
            if not loop["take"]:
                continue
            path = os.path.join(self.home, "sets/takes", loop["take"] + ".wav")
            whole = sound(path) if os.path.exists(path) else "no file"
            if len(whole) != 40:
                self.fault(f"loop {loop['loop']} of set {name}: {whole}")

    def posts(self):
        wanted = [key[1] for key in self.evening.saved.events
                  if key[0] == "post" and None not in self.evening.saved.allowed(key, self.cut)]
        deadline = time.monotonic() + 5
        while True:
            # A page of the feed has its newest posts.
            there, before = set(), 0
            while True:
                page = self.node.list("/feed", before, item="/post", end="/feed/end") if before else \
                    self.node.list("/feed", item="/post", end="/feed/end")
                there |= {values[3] for values in page}
                if not page or min(values[0] for values in page) <= 1:
                    break
                before = min(values[0] for values in page)
            missing = [text for text in wanted if text not in there]
            if not missing or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        if missing:
            self.fault(f"posts are missing: {', '.join(missing)}")

    # --- Loops

    def again(self, check, *values):
        """Makes a check again while it fails: peaks are up to date only some time after a start or a change."""
        deadline = time.monotonic() + 1
        while True:
            faults, self.faults = self.faults, []
            check(*values)
            found, self.faults = self.faults, faults
            if not found or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        self.faults += found

    def loop(self, loop):
        evening, cut = self.evening, self.cut
        length = self.node.value(f"/loop/{loop}/state")[2]
        steps = tuple(self.node.value(f"/loop/{loop}/history"))
        settled = [each for each in evening.settled[loop] if each[0] + GRACE <= cut]
        now = settled[-1] if settled and (settled[-1][1] is None or settled[-1][1] >= cut) else None
        if now:
            self.same_clip(loop, now, length, steps)
            return
        lasting = [each for each in evening.lasting[loop] if each[0] <= cut <= (each[1] or cut)]
        verb = lasting[-1][2] if lasting else None
        ran = (cut - lasting[-1][0]) / SECOND if lasting else 0
        if verb == "record":
            if length < ran - (GRACE + REPORT) / SECOND:
                self.fault(f"loop {loop}: {length:.2f} s of a recording of {ran:.2f} s are left")
            elif length > 0.05 and min(self.peaks(loop), default=0) < 0.02:
                self.fault(f"loop {loop}: its recording has a gap")
        elif verb in ("overdub", "replace") and settled:
            before = settled[-1]
            if abs(length - before[2]) > 0.001:
                self.fault(f"loop {loop}: {length:.3f} s long; expected {before[2]:.3f}")
                return
            # With many steps the oldest one is dropped, and their number stays.
            after = next((each[3][0] for each in evening.settled[loop] if each[0] > lasting[-1][0]), before[3][0] + 1)
            if steps[0] not in (before[3][0], after):
                self.fault(f"loop {loop}: {steps[0]} undo steps; expected {before[3][0]} or {after}")
            elif ran > (GRACE + REPORT) / SECOND and steps[0] != after:
                self.fault(f"loop {loop}: an {verb} of {ran:.2f} s is lost: {steps[0]} undo steps instead of {after}")
            else:
                self.newest(loop, before)
        elif settled and not lasting:
            # A change that takes no time, or the rest after one: as before, or as after.
            following = [each for each in evening.settled[loop] if each[0] + GRACE > cut][:2]
            if not any(abs(length - each[2]) < 0.001 and steps == each[3] for each in settled[-1:] + following):
                self.transition(loop, length, steps, settled[-1:] + following)

    def transition(self, loop, length, steps, candidates):
        """After the end of what lasts, the newest layer may still lack its last half second."""
        ended = [each for each in self.evening.lasting[loop]
                 if each[1] is not None and each[0] < self.cut < each[1] + GRACE + SECOND]
        if not any(steps == each[3] for each in candidates) or not ended:
            self.fault(f"loop {loop}: {length:.3f} s with {steps} steps; expected "
                       + " or ".join(f"{each[2]:.3f} s with {each[3]}" for each in candidates))

    def same_clip(self, loop, now, length, steps):
        if abs(length - now[2]) > 0.001:
            self.fault(f"loop {loop}: {length:.3f} s long; expected {now[2]:.3f}")
        elif steps != now[3]:
            self.fault(f"loop {loop}: steps {steps}; expected {now[3]}")
        elif now[4]:
            self.compare(loop, self.peaks(loop), now[4], "")

    def compare(self, loop, found, expected, which):
        other = sum(abs(one - two) > 0.003 for one, two in zip(found, expected))
        if len(found) != len(expected) or other:
            places = [place for place, (one, two) in enumerate(zip(found, expected)) if abs(one - two) > 0.003]
            first = f", the first at {places[0]}: {found[places[0]]:.3f}, not {expected[places[0]]:.3f}" if places else ""
            self.fault(f"loop {loop}: {other} of {len(expected)} peaks{which} are not as before the cut{first}")

    def newest(self, loop, before):
        """Compares the parts of a layer that were recorded long enough before the cut."""
        reports = self.evening.peaks[loop]
        times = [when for when, _ in reports]
        at = bisect.bisect_right(times, self.cut - GRACE)
        around = [values for when, values in reports[max(0, at - 1):]
                  if when < self.cut + SECOND and len(values) == len(before[4])]
        if not around:
            return
        found = self.peaks(loop)
        wrong = [place for place, value in enumerate(found)
                 if all(abs(value - values[place]) > 0.003 for values in around)]
        # The layer ends with a fade, in the midst of a part.
        if len(wrong) > 4:
            seen = sorted({round(values[wrong[0]], 3) for values in around})
            self.fault(f"loop {loop}: {len(wrong)} of {len(found)} peaks are neither those of half a second before "
                       f"the cut nor later ones; peak {wrong[0]} to {wrong[-1]}, the first is "
                       f"{found[wrong[0]]:.3f}, not one of {seen}")

    def peaks(self, loop):
        return self.node.value(f"/loop/{loop}/peaks")

    def layers(self):
        """Undoes all steps of the loops that were settled."""
        for loop in range(1, LOOPS + 1):
            settled = [each for each in self.evening.settled[loop] if each[0] + GRACE <= self.cut]
            if not settled or settled[-1][1] is not None and settled[-1][1] < self.cut:
                continue
            depth = settled[-1][3][0]
            while depth > 1:
                depth -= 1
                self.node.send(f"/loop/{loop}/undo")
                expected = [each for each in settled if each[3][0] == depth]
                before = len(self.faults)
                self.again(self.expect_steps, loop, depth)
                if len(self.faults) > before:
                    break
                if expected and expected[-1][4]:
                    self.again(lambda: self.compare(
                        loop, self.peaks(loop), expected[-1][4], f" of step {depth}"))

    def expect_steps(self, loop, depth):
        steps = self.node.value(f"/loop/{loop}/history")
        if steps[0] != depth:
            self.fault(f"loop {loop}: {steps[0]} steps after an undo; expected {depth}")

    # --- The files

    def whole(self):
        """No file is damaged, or was set aside as damaged."""
        for folder, _, names in os.walk(self.home):
            for name in names:
                if ".bad" in name or ".damaged" in name or ".aside" in name:
                    self.fault(f"{os.path.relpath(os.path.join(folder, name), self.home)} was set aside")
        said = self.node.said()
        for loop, lasting in self.evening.lasting.items():
            # As far as it is on the disk, and not yet ended.
            if any(begun + GRACE < self.cut < ended - SECOND // 5 for begun, ended, _ in lasting):
                self.interrupted += 1
                self.named += f"loop {loop}" in said
        if "damage" in said:
            self.fault("it says: " + next(line for line in said.splitlines() if "damage" in line))


def same(found, value):
    """Whether values are equal, but for the precision of OSC's floats."""
    if isinstance(found, (list, tuple)) and isinstance(value, (list, tuple)):
        return len(found) == len(value) and all(same(one, two) for one, two in zip(found, value))
    if isinstance(found, (int, float)) and isinstance(value, (int, float)):
        return abs(found - value) <= 1e-5 * max(1, abs(value))
    return found == value
