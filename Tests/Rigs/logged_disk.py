"""A disk that logs its writes and flushes, and is slow or fails on command.

It is one file of a FUSE file system, served by a process of its own. A loop device over that file carries a real file
system, and passes on each of its writes and flushes. The FUSE protocol is spoken directly: for one file that takes
less than a binding of libfuse.

The log is a sequence of records: a header (`RECORD`), then the bytes of a write. After a power failure, writes that
no flush follows may be lost or torn; `Log.fate` chooses among these states.
"""

import ctypes
import errno
import os
import select
import signal
import stat
import struct
import time

SECTOR = 512
# Time in nanoseconds of CLOCK_MONOTONIC, kind, length in bytes, offset in bytes.
RECORD = struct.Struct("<QIIQ")
WRITE, FLUSH, ZERO = 1, 2, 3

# --- The disk, in a process of its own

_IN = struct.Struct("<IIQQIIIHH")
_OUT = struct.Struct("<IiQ")
_LARGEST = 1 << 20
_NAME = b"disk"
_ROOT, _FILE = 1, 2
(_LOOKUP, _FORGET, _GETATTR, _SETATTR, _OPEN, _READ, _WRITE, _STATFS, _RELEASE, _FSYNC, _FLUSH, _INIT, _OPENDIR,
 _INTERRUPT, _DESTROY, _BATCH_FORGET, _FALLOCATE) = (
    1, 2, 3, 4, 14, 15, 16, 17, 18, 20, 25, 26, 27, 36, 38, 42, 43)
_BIG_WRITES, _MAX_PAGES = 1 << 5, 1 << 22
_DIRECT_IO = 1


class _Server:
    """Serves the file until it is unmounted."""

    def __init__(self, device, contents, size, log, orders):
        self.device, self.contents, self.size = device, contents, size
        self.log, self.orders = log, orders
        # The seconds that each write takes, the number of writes it holds for, and whether writes and flushes fail.
        self.delay, self.delayed, self.fails = 0.0, 0, False

    def run(self):
        buffer = bytearray(_LARGEST + 4096)
        view = memoryview(buffer)
        waiting = select.poll()
        waiting.register(self.device, select.POLLIN)
        waiting.register(self.orders, select.POLLIN)
        while True:
            for source, _ in waiting.poll():
                if source == self.orders:
                    if not self.follow():
                        waiting.unregister(self.orders)
                    continue
                try:
                    count = os.readv(self.device, [buffer])
                except OSError as error:
                    if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                        continue
                    return
                length, opcode, unique, node = _IN.unpack_from(buffer)[:4]
                body = view[_IN.size:count]
                if opcode in (_FORGET, _BATCH_FORGET, _INTERRUPT):
                    continue
                try:
                    answer, code = self.answer(opcode, node, body), 0
                except OSError as error:
                    answer, code = b"", error.errno
                os.writev(self.device, [_OUT.pack(_OUT.size + len(answer), -code, unique), answer])

    def follow(self):
        """Follows one order; returns whether more may come."""
        line = os.read(self.orders, 4096).decode()
        for order in line.splitlines():
            verb, *values = order.split()
            if verb == "slow":
                self.delay, self.delayed = float(values[0]), int(values[1])
            elif verb == "fail":
                self.fails = values[0] == "1"
        return bool(line)

    def record(self, kind, offset, length, data=b""):
        os.writev(self.log, [RECORD.pack(time.monotonic_ns(), kind, length, offset), data])

    def attributes(self, node):
        mode = stat.S_IFDIR | 0o700 if node == _ROOT else stat.S_IFREG | 0o600
        size = 0 if node == _ROOT else self.size
        return struct.pack("<QQQQQQIIIIIIIIII", node, size, size // SECTOR, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def suffer(self):
        if self.delayed > 0:
            self.delayed -= 1
            time.sleep(self.delay)
        if self.fails:
            raise OSError(errno.EIO, "")

    def answer(self, opcode, node, body):
        if opcode == _WRITE:
            _, offset, size = struct.unpack_from("<QQI", body)
            self.suffer()
            data = body[40:40 + size]
            os.pwrite(self.contents, data, offset)
            self.record(WRITE, offset, size, data)
            return struct.pack("<II", size, 0)
        if opcode == _READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return os.pread(self.contents, size, offset)
        if opcode == _FSYNC:
            self.suffer()
            self.record(FLUSH, 0, 0)
            return b""
        if opcode == _FALLOCATE:
            _, offset, length, _ = struct.unpack_from("<QQQI", body)
            self.suffer()
            for at in range(offset, offset + length, _LARGEST):
                os.pwrite(self.contents, bytes(min(_LARGEST, offset + length - at)), at)
            self.record(ZERO, offset, length)
            return b""
        if opcode == _LOOKUP:
            if bytes(body).rstrip(b"\0") != _NAME:
                raise OSError(errno.ENOENT, "")
            return struct.pack("<QQQQII", _FILE, 0, 3600, 3600, 0, 0) + self.attributes(_FILE)
        if opcode in (_GETATTR, _SETATTR):
            return struct.pack("<QII", 3600, 0, 0) + self.attributes(node)
        if opcode in (_OPEN, _OPENDIR):
            return struct.pack("<QII", 0, _DIRECT_IO, 0)
        if opcode == _STATFS:
            return struct.pack("<QQQQQIIII24x", 1 << 20, 1 << 20, 1 << 20, 2, 1, 4096, 255, 4096, 0)
        if opcode in (_RELEASE, _FLUSH, _DESTROY):
            return b""
        if opcode == _INIT:
            major, minor, readahead, _ = struct.unpack_from("<IIII", body)
            return struct.pack(
                "<IIIIHHIIHHI28x", 7, min(minor, 31), readahead, _BIG_WRITES | _MAX_PAGES, 16, 12, _LARGEST, 1,
                _LARGEST // 4096, 0, 0)
        raise OSError(errno.ENOSYS, "")


_libc = ctypes.CDLL(None, use_errno=True)


def _mount_fuse(device, folder):
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0"
    if _libc.mount(b"syrinx-rig", os.fsencode(folder), b"fuse", 0, options.encode()):
        raise OSError(ctypes.get_errno(), f"can't mount FUSE at {folder}")


def _leave(folder):
    """Moves this process to a mount namespace of its own, in which nothing below a folder is mounted."""
    if _libc.unshare(0x20000):
        raise OSError(ctypes.get_errno(), "can't leave the mount namespace")
    with open("/proc/self/mounts") as mounts:
        places = [line.split()[1] for line in mounts]
    for place in reversed(places):
        if place.startswith(folder + "/"):
            _libc.umount2(place.encode(), 2)


class Disk:
    """A disk of `size` bytes with a log, served by a child process, as the file at `path`."""

    def __init__(self, folder, size):
        self.path = os.path.join(folder, _NAME.decode())
        self.log_path = folder + ".log"
        os.makedirs(folder, exist_ok=True)
        device = os.open("/dev/fuse", os.O_RDWR)
        _mount_fuse(device, folder)
        orders, self.orders = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            os.close(self.orders)
            contents = os.memfd_create("disk")
            os.truncate(contents, size)
            log = os.open(self.log_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            # The kernel unmounts everything when the last process of the rig's namespace has ended, however it
            # ends. This one, which serves until then, must not be one of them.
            _leave(os.path.dirname(folder))
            _Server(device, contents, size, log, orders).run()
            os._exit(0)
        os.close(device)
        os.close(orders)

    def slow(self, seconds, writes=1):
        """Lets the next writes and flushes take this long each."""
        os.write(self.orders, f"slow {seconds} {writes}\n".encode())

    def fail(self, fails):
        """Whether all writes and flushes from now on fail with EIO."""
        os.write(self.orders, f"fail {int(fails)}\n".encode())


# --- The log, and what a loss of power leaves of it


class Log:
    """The records of a disk's log: `records` are (time in ns, kind, offset, length, place of the bytes in the file)."""

    def __init__(self, path):
        self.file = os.open(path, os.O_RDONLY)
        end, at, self.records = os.fstat(self.file).st_size, 0, []
        while at + RECORD.size <= end:
            when, kind, length, offset = RECORD.unpack(os.pread(self.file, RECORD.size, at))
            at += RECORD.size
            self.records.append((when, kind, offset, length, at))
            if kind == WRITE:
                at += length

    def write(self, image, index, sectors=None):
        """Applies a record to an image: all of it, or only these of its sectors."""
        _, kind, offset, length, place = self.records[index]
        if kind == FLUSH:
            return
        data = os.pread(self.file, length, place) if kind == WRITE else bytes(length)
        if sectors is None:
            os.pwrite(image, data, offset)
            return
        for each in sectors:
            part = data[each * SECTOR:(each + 1) * SECTOR]
            os.pwrite(image, part, offset + each * SECTOR)

    def flushes(self):
        return [index for index, each in enumerate(self.records) if each[1] == FLUSH]

    def when(self, index):
        """The latest time in ns at which the first `index` records are all that was written."""
        return self.records[index][0] if index < len(self.records) else None

    def fate(self, first, last, chance):
        """What is left of the records from `first` up to `last`, of which the disk has flushed none.

        Returns the name of what happened to them, and (index, sectors or None for all) of those that are left.
        """
        lost = range(first, last)
        kind = chance.choice(["dropped", "torn", "reordered", "scattered", "kept"]) if lost else "flushed"
        if kind == "dropped":
            return kind, []
        if kind == "torn":
            # In order; of the last one only a part, up to or without some of its sectors.
            end = chance.randrange(first, last)
            return kind, [(each, None) for each in range(first, end)] + [(end, self.part(end, chance))]
        if kind == "reordered":
            # Later ones without earlier ones.
            return kind, [(each, None) for each in lost if chance.random() < 0.5]
        if kind == "scattered":
            return kind, [(each, self.part(each, chance) if chance.random() < 0.5 else None)
                          for each in lost if chance.random() < 0.7]
        return kind, [(each, None) for each in lost]

    def part(self, index, chance):
        count = -(-self.records[index][3] // SECTOR)
        if chance.random() < 0.5:
            return range(chance.randint(0, count))
        # A large write doesn't have its gaps sector by sector, but page by page.
        step = 1 if count <= 64 else 8
        return [each for start in range(0, count, step) if chance.random() < 0.5
                for each in range(start, min(start + step, count))]


def copy_sparse(source, target):
    """Copies a file of a tmpfs without its holes."""
    size, at = os.fstat(source).st_size, 0
    os.ftruncate(target, 0)
    os.ftruncate(target, size)
    while at < size:
        try:
            at = os.lseek(source, at, os.SEEK_DATA)
        except OSError:
            return
        end = os.lseek(source, at, os.SEEK_HOLE)
        os.lseek(source, at, os.SEEK_SET)
        os.lseek(target, at, os.SEEK_SET)
        while at < end:
            at += os.sendfile(target, source, None, end - at)
