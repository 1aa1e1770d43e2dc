"""OSC packets, for rigs and benchmarks in Python."""

import struct


def padded(data):
    return data + b"\0" * (4 - len(data) % 4)


def encode(address, *values):
    """A message with texts, integers and floats."""
    types, data = ",", b""
    for value in values:
        if isinstance(value, str):
            types, data = types + "s", data + padded(value.encode())
        elif isinstance(value, int):
            types, data = types + "i", data + struct.pack(">i", value)
        else:
            types, data = types + "f", data + struct.pack(">f", value)
    return padded(address.encode()) + padded(types.encode()) + data


def decode(packet):
    """The messages of a packet, as addresses and lists of values."""
    if packet.startswith(b"#bundle"):
        at = 16
        while at < len(packet):
            length = struct.unpack_from(">i", packet, at)[0]
            yield from decode(packet[at + 4:at + 4 + length])
            at += 4 + length
        return

    def text(at):
        end = packet.index(b"\0", at)
        return packet[at:end].decode(), (end // 4 + 1) * 4

    address, at = text(0)
    types, at = text(at)
    values = []
    for each in types[1:]:
        if each == "s":
            value, at = text(at)
        elif each in "if":
            value, at = struct.unpack_from(">" + each, packet, at)[0], at + 4
        else:
            value = each == "T"
        values.append(value)
    yield address, values
