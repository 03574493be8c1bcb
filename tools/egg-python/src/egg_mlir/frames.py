"""The asker's side of the frames of docs/formats.md, over a child's pipes."""
import json
import os
import struct
import subprocess

MAGIC = b"EGGFRAM1"
MAX_HEADER, MAX_BLOBS, MAX_BLOB = 16 << 20, 4096, 1 << 32

# Bytes of an element and Python's struct code; bf16 is the upper half of f32.
ELEMENTS = {"f64": (8, "d"), "f32": (4, "f"), "f16": (2, "e"), "i64": (8, "q"), "i32": (4, "i"),
            "i16": (2, "h"), "i8": (1, "b"), "i1": (1, "B"), "bf16": (2, "H")}


class Refused(Exception):
    """An error of the closed set, as the child gave it."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Broken(Exception):
    """The child ended or did not speak the protocol."""


def pack(values, element_type):
    """The bytes of a list of numbers, row-major. A value that bf16 does not hold
    exactly is a ValueError."""
    _, code = ELEMENTS[element_type]
    if element_type != "bf16":
        return struct.pack(f"<{len(values)}{code}", *values)
    words = struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))
    if any(word & 0xFFFF for word in words):
        raise ValueError("a value is not exact in bf16")
    return struct.pack(f"<{len(values)}H", *[word >> 16 for word in words])


def unpack(data, element_type):
    """The numbers of a blob."""
    width, code = ELEMENTS[element_type]
    if len(data) % width:
        raise Broken(f"{len(data)} bytes are no whole number of {element_type}")
    values = struct.unpack(f"<{len(data) // width}{code}", data)
    if element_type != "bf16":
        return list(values)
    return list(struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}I", *[v << 16 for v in values])))


def encode(header, blobs, nonce):
    """The bytes of one frame."""
    text = json.dumps(header).encode()
    lengths = b"".join(struct.pack("<Q", len(blob)) for blob in blobs)
    return b"".join([MAGIC, nonce, struct.pack("<QQ", len(text), len(blobs)), lengths, text, *blobs])


def decode(read, nonce):
    """(header, blobs) of one frame; `read(n)` gives exactly n bytes or fewer at
    the end. Lengths are checked before anything is read."""
    def exactly(count):
        data = read(count)
        if len(data) != count:
            raise Broken("the child ended in the middle of an answer")
        return data

    if exactly(8) != MAGIC or exactly(16) != nonce:
        raise Broken("the answer does not begin with the magic word and the nonce of the question")
    length, count = struct.unpack("<QQ", exactly(16))
    if length > MAX_HEADER or count > MAX_BLOBS:
        raise Broken(f"the answer has a header of {length} bytes and {count} blobs")
    lengths = struct.unpack(f"<{count}Q", exactly(8 * count))
    if any(size > MAX_BLOB for size in lengths):
        raise Broken(f"the answer has a blob of {max(lengths)} bytes")
    try:
        header = json.loads(exactly(length))
    except ValueError as error:
        raise Broken(f"the answer's header is not JSON: {error}") from error
    return header, [exactly(size) for size in lengths]


def ask(command, kind, fields, blobs):
    """Starts `command`, asks one question and gives (ok, blobs). Raises Refused
    or Broken."""
    nonce = os.urandom(16)
    frame = encode({"protocol": 1, "kind": kind, **fields}, blobs, nonce)
    done = subprocess.run(command, input=frame, capture_output=True, check=False)
    position = 0

    def read(count):
        nonlocal position
        data = done.stdout[position:position + count]
        position += len(data)
        return data

    try:
        header, answers = decode(read, nonce)
    except Broken as error:
        tail = done.stderr.decode(errors="replace").strip()[-500:]
        raise Broken(f"{error}; it ended with {done.returncode}: {tail}") from error
    if "error" in header:
        raise Refused(header["error"]["kind"], header["error"]["message"])
    return header["ok"], answers
