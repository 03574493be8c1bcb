"""Rebuilds committed recipes and compares the hash of the PTX.

The same payload, recipe and toolchain give the same PTX, so a results file whose
hashes do not come back was not made by this tree.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time


def find_tool(root, name="egg-run", given=None):
    """The path of a tool: the one given, the build's, or the one on PATH; None."""
    places = [given] if given else [pathlib.Path(root, "build", "default", "bin", name), shutil.which(name)]
    for place in places:
        if place and os.access(place, os.X_OK):
            return str(place)
    return None


def candidates(documents, root):
    """Rows that can be rebuilt, as (key, row, device): the payload is in the
    tree and a PTX hash was recorded. The key is a hash of what the row names, so
    that the order, and with it the sample under a deadline, is fixed but not
    chosen."""
    found = []
    for document in documents:
        for row in document["rows"]:
            if not row["ptx_hash"] or not row["payload"] or not pathlib.Path(root, row["payload"]).is_file():
                continue
            if row["recipe"] and not pathlib.Path(root, row["recipe"]).is_file():
                continue
            text = "\0".join([document["commit"], row["workload"], row["ptx_hash"]])
            found.append((hashlib.sha256(text.encode()).hexdigest(), row, device_name(document["device"]["name"], root)))
    return sorted(found, key=lambda entry: entry[0])


def device_name(name, root):
    """egg's id of a GPU, from the name that the driver gives, by the descriptions
    in the tree. None where none names it: egg-run then builds for its default."""
    for path in sorted(pathlib.Path(root, "lib", "Device", "devices").glob("*.json")):
        described = json.loads(path.read_text(encoding="utf-8"))
        if name in described["driver_names"]:
            return described["id"]
    return None


def ptx_hash(texts):
    """The hash of a build's PTX: SHA-256 of the modules' texts in order, each
    after its length as 8 bytes, little-endian."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(len(text).to_bytes(8, "little"))
        digest.update(text)
    return digest.hexdigest()


def command(tool, row, device, folder):
    """The command that writes the PTX of a row's build into `folder`."""
    target = ["--device", device] if device else []
    recipe = ["--recipe", row["recipe"]] if row["recipe"] else []
    return [tool, row["payload"], *recipe, *target, "--emit=ptx", "-o", str(folder)]


def module_number(path):
    """The number of a module from its file's name, as 10-main.ptx."""
    digits = path.name.split("-")[0]
    return (int(digits) if digits.isdecimal() else 0, path.name)


def rebuild(tool, row, device, root, seconds):
    """None when the PTX of a row comes back, else a sentence."""
    with tempfile.TemporaryDirectory(prefix="egg-rebuild-") as folder:
        try:
            done = subprocess.run(command(tool, row, device, folder), cwd=root, capture_output=True, text=True,
                                  timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return f"the build took more than {seconds:.0f} s"
        if done.returncode != 0:
            return f"the build failed ({done.returncode}): {done.stderr.strip()[-500:]}"
        texts = [path.read_bytes() for path in sorted(pathlib.Path(folder).glob("*.ptx"), key=module_number)]
        if not texts:
            return "the build wrote no PTX"
        found = ptx_hash(texts)
        return None if found == row["ptx_hash"] else f"the PTX has the hash {found}; the file says {row['ptx_hash']}"


def check(documents, root, tool, seconds=300.0, full=False, now=time.monotonic):
    """(problems, rebuilt, left out): rebuilds rows in the order of their keys
    until `seconds` have passed, or all of them with `full`."""
    entries = candidates(documents, root)
    problems, start, rebuilt = [], now(), 0
    for _, row, device in entries:
        left = seconds - (now() - start)
        if not full and left <= 0:
            break
        problem = rebuild(tool, row, device, root, seconds if full else left)
        rebuilt += 1
        if problem:
            problems.append(f"{row['workload']}: {problem}")
    return problems, rebuilt, len(entries) - rebuilt
