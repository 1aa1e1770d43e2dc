#!/usr/bin/env python3
"""Counts the instructions, cache lines and pages of a client's single-stepped blocks.

cold.py count STATE FOLDER PROGRAM=PROCESS...   steps through blocks of each, and stores the counts
cold.py table FOLDER PROGRAM PEER               prints the counts
cold.py parts FOLDER PROGRAM STATE              prints the code by function, and the data by region
cold.py order FOLDER PROGRAM FILE               writes the functions in the order of their first call
"""

import bisect
import collections
import json
import mmap
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import time

# As in block_steps.h.
BLOCKS, MOST_STEPS, STEP = 9, 80000, struct.Struct("17Q")
HEAD = 40
REGISTERS = ["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx",
             "rax", "rcx", "rsp"]
NUMBERS = {name: 1 + index for index, name in enumerate(REGISTERS)}
WHOLE = (1 << 64) - 1
LINE, PAGE = 6, 12
STATES = {
    "idle": "idle",
    "live": "live input",
    "alone": "a loop playing, live off",
    "playing": "a loop playing, live input",
    "adding": "overdubbing it, live input",
}


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


class Module:
    """A file mapped by a process: its functions, and its executed instructions."""

    def __init__(self, path, base):
        self.path, self.base = path, base
        self.functions, self.starts = [], []

    def read_functions(self):
        for arguments in (["--defined-only"], ["--defined-only", "-D"]):
            for line in run("llvm-nm", "--quiet", "-n", "-S", *arguments, self.path).splitlines():
                parts = line.split()
                if len(parts) == 4 and parts[2] in "tTwWiI":
                    self.functions.append((int(parts[0], 16), int(parts[1], 16), parts[3]))
        self.functions.sort()
        self.starts = [start for start, _, _ in self.functions]

    def function(self, place):
        index = bisect.bisect_right(self.starts, place - self.base) - 1
        if index < 0:
            return None
        start, size, name = self.functions[index]
        return name if place - self.base < start + size else None

    def disassemble(self, places):
        """The disassembly of the instructions at these addresses of the process."""
        texts, stretches = {}, []
        for place in sorted(place - self.base for place in places):
            if stretches and place - stretches[-1][1] < 16384:
                stretches[-1][1] = place
            else:
                stretches.append([place, place])
        for first, last in stretches:
            listing = run("llvm-objdump", "-d", "--no-show-raw-insn", "--no-leading-headers",
                          f"--start-address={first:#x}", f"--stop-address={last + 16:#x}", self.path)
            for line in listing.splitlines():
                found = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
                if found:
                    texts[self.base + int(found[1], 16)] = found[2].strip()
        return texts


class Process:
    """The memory map of a process."""

    def __init__(self, number):
        self.maps, bases = [], {}
        for line in open(f"/proc/{number}/maps"):
            parts = line.split(None, 5)
            first, last = (int(part, 16) for part in parts[0].split("-"))
            path = parts[5].strip() if len(parts) > 5 else ""
            self.maps.append((first, last, path))
            if path.startswith("/"):
                bases.setdefault(path, first - int(parts[2], 16))
        self.maps.sort()
        self.starts = [first for first, _, _ in self.maps]
        self.program = str(pathlib.Path(f"/proc/{number}/exe").resolve())
        self.bases, self.modules = bases, {}

    def path(self, place):
        index = bisect.bisect_right(self.starts, place) - 1
        return self.maps[index][2] if index >= 0 and place < self.maps[index][1] else ""

    def module(self, path):
        if path not in self.modules:
            self.modules[path] = Module(path, self.bases[path])
        return self.modules[path]


def size_of(name, text):
    """The number of bytes that an instruction reads or writes, exact to a cache line."""
    for mark, size in (("zmm", 64), ("ymm", 32)):
        if mark in text:
            return size
    if "xmm" in text:
        return 4 if name.endswith("ss") else 8 if name.endswith(("sd", "lps", "lpd")) else 16
    return {"b": 1, "w": 2, "l": 4}.get(name[-1], 8)


class Instruction:
    """An instruction, and the addresses that it accesses, from the registers."""

    PREFIXES = {"lock", "rep", "repz", "repne", "bnd", "notrack", "data16", "cs"}

    def __init__(self, module_base, text):
        words = text.split()
        self.is_repeated = words[0] == "rep"
        # A prefix can be printed alone.
        name = next((word for word in words if word not in self.PREFIXES), words[-1])
        self.operands = []
        size = size_of(name, text)
        stack = NUMBERS["rsp"]
        if name.startswith(("stos", "movs")) and self.is_repeated:
            self.operands.append((0, NUMBERS["rdi"], 0, 0, size))
            if name.startswith("movs"):
                self.operands.append((0, NUMBERS["rsi"], 0, 0, size))
            return
        if name.startswith(("push", "call")):
            self.operands.append((-8, stack, 0, 0, 8))
        elif name.startswith(("pop", "ret")):
            self.operands.append((0, stack, 0, 0, 8))
        found = re.search(r"(%[fg]s:)?(-?0x[0-9a-f]+|-?\d+)?\(([^)]*)\)", text)
        if not found or found[1] or name.startswith(("nop", "lea", "prefetch")):
            return
        parts = [part.strip().lstrip("%") for part in found[3].split(",")]
        offset = int(found[2] or "0", 0)
        if parts[0] == "rip":
            comment = re.search(r"#\s*(?:0x)?([0-9a-f]+)", text)
            if comment:
                self.operands.append((module_base + int(comment[1], 16), 0, 0, 0, size))
            return
        base = NUMBERS.get(parts[0], 0)
        index = NUMBERS.get(parts[1], 0) if len(parts) > 1 else 0
        scale = int(parts[2]) if len(parts) > 2 else 1
        self.operands.append((offset, base, index, scale, size))


class Block:
    """The code and data that a block accessed."""

    def __init__(self):
        self.instructions = collections.Counter()
        self.code = collections.defaultdict(set)
        self.data = collections.defaultdict(set)
        self.functions = {}

    def count(self):
        def touched(lines):
            return [len(lines), len({line >> (PAGE - LINE) for line in lines})]

        def both(places, own):
            def lines(is_own):
                return set().union(*(lines for place, lines in places.items()
                                     if (place in own) == is_own))

            return [touched(lines(True)), touched(lines(False))]

        own = self.instructions["own"]
        return {
            "instructions": [own, self.instructions.total() - own],
            "code": both(self.code, {"own"}),
            "data": both(self.data, {"stack", "memory", "program"}),
        }


def read_blocks(path):
    """Requests the steps of each block, waits for them, and returns them."""
    with open(path, "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    struct.pack_into("I", memory, 0, BLOCKS)
    deadline = time.monotonic() + 60
    while struct.unpack_from("I", memory, 0)[0]:
        if time.monotonic() > deadline:
            sys.exit(f"{path}: no blocks")
        time.sleep(0.05)
    counts = struct.unpack_from(f"{BLOCKS}I", memory, 4)
    if max(counts) == MOST_STEPS:
        sys.exit(f"{path}: a block is longer than {MOST_STEPS} steps")
    blocks = []
    for index, count in enumerate(counts):
        start = HEAD + index * MOST_STEPS * STEP.size
        blocks.append(list(STEP.iter_unpack(memory[start:start + count * STEP.size])))
    return blocks


def analyse(process, blocks):
    """The accesses of each block."""
    places = {step[0] for steps in blocks for step in steps}
    by_path = collections.defaultdict(set)
    for place in places:
        by_path[process.path(place)].add(place)
    known = {}
    for path, inside in by_path.items():
        ours = path == process.program
        if "BlockSteps" in path:
            continue
        texts = {}
        if path.startswith("/"):
            module = process.module(path)
            texts = module.disassemble(inside)
            if ours and not module.functions:
                module.read_functions()
        for place in inside:
            instruction = Instruction(process.bases[path], texts[place]) if place in texts else None
            known[place] = ("own" if ours else pathlib.Path(path).name,
                            module.function(place) if ours else None, instruction)
    return [touch(process, steps, known) for steps in blocks]


def touch(process, steps, known):
    block, former = Block(), None
    stack = steps[len(steps) // 2][NUMBERS["rsp"]]
    kinds = {}

    def kind(line):
        place = line << LINE
        path = process.path(place)
        if abs(place - stack) < 1 << 16:
            return "stack"
        if path.startswith("/dev/shm"):
            return "shared"
        if path.startswith("/"):
            return "program" if path == process.program else "libraries"
        # A program's zero-initialized data is its own, too.
        return "memory"

    for step in steps:
        found = known.get(step[0])
        if not found:
            continue
        where, function, instruction = found
        # A repeated instruction steps once per repetition.
        if not (former == step[0] and instruction and instruction.is_repeated):
            block.instructions[where] += 1
        former = step[0]
        line = step[0] >> LINE
        block.code[where].add(line)
        if function:
            if function not in block.functions:
                block.functions[function] = [0, set()]
            block.functions[function][0] += 1
            block.functions[function][1].add(line)
        if not instruction:
            continue
        for offset, base, index, scale, size in instruction.operands:
            place = offset
            if base:
                place += step[base]
            if index:
                place += step[index] * scale
            place &= WHOLE
            for touched in range(place >> LINE, (place + size - 1 >> LINE) + 1):
                if touched not in kinds:
                    kinds[touched] = kind(touched)
                block.data[kinds[touched]].add(touched)
    return block


def middle(counts):
    """The medians of all counts."""
    if isinstance(counts[0], dict):
        return {key: middle([count[key] for count in counts]) for key in counts[0]}
    if isinstance(counts[0], list):
        return [middle(list(values)) for values in zip(*counts)]
    return int(statistics.median(counts))


def count(state, folder, clients):
    for client in clients:
        name, number = client.split("=")
        process = Process(number)
        blocks = analyse(process, read_blocks(folder / f"{name}.steps"))
        functions, order = collections.Counter(), []
        for block in blocks:
            for function, (_, lines) in block.functions.items():
                functions[function] = max(functions[function], len(lines))
                if function not in order:
                    order.append(function)
        regions = {place: middle([[len(block.data[place]),
                                   len({line >> (PAGE - LINE) for line in block.data[place]})]
                                  for block in blocks])
                   for place in sorted({place for block in blocks for place in block.data})}
        first = blocks[0]
        notes = {
            "counts": middle([block.count() for block in blocks]), "order": order,
            "most": max(lines_of(block.count()) for block in blocks),
            "functions": functions.most_common(), "regions": regions,
            "instructions": {function: steps for function, (steps, _) in first.functions.items()},
            "pages": sorted(collections.Counter(
                (place, line >> (PAGE - LINE)) for place, lines in first.data.items()
                for line in lines).items()),
        }
        (folder / f"{name}.{state}.json").write_text(json.dumps(notes))


def lines_of(counts):
    return sum(lines for kind in ("code", "data") for lines, _ in counts[kind])


def notes_of(folder, name, state):
    return json.loads((folder / f"{name}.{state}.json").read_text())


def shown(lines):
    return "{} on {}".format(*lines)


def table(folder, program, peer):
    print(f"{'':29}{'instructions':>16}{'lines of code, on pages':>27}{'lines of data, on pages':>27}")
    print(f"{'':29}{'own':>8}{'others':>8}{'own':>14}{'others':>13}{'own':>14}{'others':>13}"
          f"{'lines':>7}{'ratio':>7}{'most':>7}")
    for state, label in STATES.items():
        if not (folder / f"{program}.{state}.json").exists():
            continue
        whole = {}
        for name in (program, peer):
            notes = notes_of(folder, name, state)
            counts = notes["counts"]
            whole[name] = lines_of(counts)
            own, others = counts["instructions"]
            print(f"{label if name == program else '  ' + peer:29}{own:>8}{others:>8}", end="")
            for kind in ("code", "data"):
                print(f"{shown(counts[kind][0]):>14}{shown(counts[kind][1]):>13}", end="")
            ratio = f"{whole[program] / whole[peer]:.2f}" if name == peer else ""
            print(f"{whole[name]:>7}{ratio:>7}{notes['most']:>7}")


def parts(folder, program, state):
    notes = notes_of(folder, program, state)
    for function, lines in notes["functions"]:
        print(f"{lines:>5} lines {notes['instructions'].get(function, 0):>6} instructions  {function}")
    for place, (lines, pages) in notes["regions"].items():
        print(f"{lines:>5} lines on {pages} pages  {place}")
    for (place, page), lines in notes["pages"]:
        print(f"{page << PAGE:>16x} {place:>10} {lines:>3}")


def order(folder, program, file):
    functions = []
    for state in STATES:
        for function in notes_of(folder, program, state)["order"]:
            if function not in functions:
                functions.append(function)
    pathlib.Path(file).write_text("\n".join(functions) + "\n")


def main():
    what, *arguments = sys.argv[1:]
    if what == "count":
        count(arguments[0], pathlib.Path(arguments[1]), arguments[2:])
    elif what == "table":
        table(pathlib.Path(arguments[0]), *arguments[1:])
    elif what == "parts":
        parts(pathlib.Path(arguments[0]), *arguments[1:])
    elif what == "order":
        order(pathlib.Path(arguments[0]), *arguments[1:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
