"""Reads what a results file needs from an artifact (docs/formats.md): its hash,
its toolchain and its plan. The runtime checks it again before it loads it."""
import hashlib
import json
import pathlib

from egg_mlir import results

MAGIC = b"EGGARTF1"
MAX_HEADER = 64 << 20


def read(path):
    """{"hash", "chip", "toolchain", "plan"} of an artifact file. Raises
    results.Problem with a sentence."""
    try:
        data = pathlib.Path(path).read_bytes()
    except OSError as error:
        raise results.Problem(f"{path} cannot be read: {error.strerror}") from error
    if len(data) < 48 or data[:8] != MAGIC:
        raise results.Problem(f"{path} is not an artifact: it does not begin with {MAGIC.decode()}")
    digest = hashlib.sha256(data[40:]).digest()
    if digest != data[8:40]:
        raise results.Problem(f"{path} is damaged: its hash is {digest.hex()} and it says {data[8:40].hex()}")
    length = int.from_bytes(data[40:48], "little")
    if length > min(MAX_HEADER, len(data) - 48):
        raise results.Problem(f"{path} says that its header has {length} bytes; {len(data) - 48} follow")
    try:
        header = json.loads(data[48:48 + length])
        found = {key: header[key] for key in ("chip", "toolchain", "plan")}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise results.Problem(f"the header of {path} cannot be read: {error}") from error
    return {"hash": digest.hex(), **found}


def launches(nodes):
    """How many kernels one call launches, loops counted in full."""
    total = 0
    for node in nodes:
        if node["op"] == "launch":
            total += 1
        elif node["op"] == "loop":
            total += node["trips"] * launches(node["body"])
    return total
