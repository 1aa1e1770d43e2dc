"""The variable-length numbers of MIDI files."""


def number_at(data, place):
    """Returns a number, and the place after it."""
    value = 0
    while True:
        byte = data[place]
        place += 1
        value = value << 7 | byte & 127
        if byte < 128:
            return value, place
