"""Results files: their shape, and what can be recomputed from them.

The format is described in docs/evaluation.md and benchmarks/README.md. It is read
strictly: a field too many, a field missing, a figure that its samples do not give,
and a row that was not measured are all problems, each a sentence.
"""
import json
import math
import pathlib
import re

from egg_mlir import stats

MAX_BYTES = 64 << 20

ERROR_KINDS = frozenset("""parse verify limit unsupported host-control-flow
transform-silenceable transform-definite lower builder-died missing-tool ptxas
wrong-arch no-device device-busy mps load launch illegal-access out-of-bounds-write
timeout wrong-result not-written nondeterministic input-modified roofline-fault
out-of-memory worker-died device-lost internal""".split())

POLICIES = ("strict", "eager", "tf32", "fast")

# Why a row is listed apart, or what is odd about it.
FLAGS = {
    "zeros-pass": "an answer of zeros passes the task's own check",
    "input-unused": "an input has no influence on the output",
    "algebra": "algebra removes more than half of the flops or bytes",
    "random": "random numbers that no implementation can match",
    "below-floor": "the time is below the payload's floor",
    "baseline": "nothing beat the baseline: the answer is the baseline",
    "plain": "the plain lowering, no recipe",
}
# Rows with these stand outside the headline means.
SET_APART = ("zeros-pass", "input-unused", "algebra", "random")

# The systems every row names, measured (a number) or not (null).
SYSTEMS = ("egg", "eager", "compile", "max_autotune", "max_autotune_graph", "egg_graph")
SYSTEM_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
HASH = re.compile(r"[0-9a-f]{64}")

# A nanosecond to eleven days.
LEAST_MS, MOST_MS = 1e-6, 1e9

# Figures are written with six significant digits: half a unit of the sixth.
ROUNDING = 5.1e-6


class Problem(Exception):
    """A results file that cannot be read at all; the text is a sentence."""


def _no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise Problem(f"the field {key!r} stands twice in one object")
    return dict(pairs)


def _no_constant(text):
    raise Problem(f"{text} is not a number of JSON; a figure that was not measured is null")


def load(path):
    """The document in a file. Raises Problem with a sentence."""
    path = pathlib.Path(path)
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise Problem(f"{path} has {size} bytes; at most {MAX_BYTES} are read")
        text = path.read_text(encoding="utf-8")
        return json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constant)
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise Problem(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise Problem(f"{path}: {error}") from error
    except RecursionError as error:
        raise Problem(f"{path} is nested too deeply") from error


# The schema: a checker takes a value and gives None or what was expected.


def _text(value):
    return None if isinstance(value, str) and len(value) <= 4096 else "a text of at most 4096 characters"


def _filled(value):
    return None if isinstance(value, str) and 0 < len(value) <= 4096 else "a text that is not empty"


def _boolean(value):
    return None if isinstance(value, bool) else "true or false"


def is_number(value):
    """Whether a JSON value is a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1 << 62 if isinstance(value, int) else math.isfinite(value)


def _positive(value):
    return None if is_number(value) and value > 0 else "a number above 0"


def _figure(value):
    return None if is_number(value) and value >= 0 else "a number of at least 0"


def _count(value):
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62
    return None if good else "a whole number of at least 0"


def _hash(value):
    return None if isinstance(value, str) and HASH.fullmatch(value) else "64 hexadecimal digits"


def _path(value):
    good = isinstance(value, str) and 0 < len(value) <= 512
    good = good and not value.startswith("/") and "\\" not in value
    good = good and not any(part in ("", ".", "..") for part in value.split("/"))
    return None if good else "a path inside the repository, relative to its root"


def _error_kind(value):
    return None if isinstance(value, str) and value in ERROR_KINDS else "one of the error kinds of docs/formats.md"


def _policy(value):
    return None if value in POLICIES else "one of " + ", ".join(POLICIES)


def _flags(value):
    if not isinstance(value, list) or not all(isinstance(flag, str) for flag in value):
        return "a list of flags"
    for flag in value:
        if flag in ("analytic", "model"):
            return "flags of measured rows; rows of the analytic model have no place in a results file"
        if flag not in FLAGS:
            return "flags out of " + ", ".join(FLAGS)
    return None if len(set(value)) == len(value) else "each flag once"


def _kills(value):
    good = isinstance(value, list) and len(value) == 2 and all(_count(v) is None for v in value)
    return None if good and value[0] <= value[1] else "[killed, tried] with killed at most tried"


def _pair(value):
    good = isinstance(value, list) and len(value) == 2 and all(_positive(v) is None for v in value)
    return None if good and value[0] <= value[1] else "[low, high], both above 0"


def _samples(value):
    if not isinstance(value, list) or not value or len(value) > 1000:
        return "a list of processes, each a list of times in ms"
    for process in value:
        if not isinstance(process, list) or not process or len(process) > 100000:
            return "a list of processes, each a list of times in ms that is not empty"
        for sample in process:
            if not is_number(sample) or not LEAST_MS <= sample <= MOST_MS:
                return f"times in ms from {LEAST_MS:g} to {MOST_MS:g}, not {str(sample)[:40]}"
    return None


def _or_null(check):
    def checked(value):
        expected = None if value is None else check(value)
        return expected and expected + ", or null"
    return checked


def _map_of(check, keys=None):
    """An object whose values pass `check`; all of `keys` must be there, further
    ones may, if they look like a system's name."""
    def checked(value):
        if not isinstance(value, dict):
            return "an object"
        for key in keys or ():
            if key not in value:
                return f"an object with {key!r} (null if not measured)"
        for key, entry in value.items():
            if not SYSTEM_NAME.fullmatch(key):
                return f"keys of lower-case letters, digits and _, not {key!r}"
            expected = check(entry)
            if expected:
                return f"under {key!r} {expected}"
        return None
    return checked


def _object(fields):
    """An object with exactly these fields."""
    def checked(value):
        return "; ".join(object_problems(value, fields)) or None
    return checked


def object_problems(value, fields):
    """Sentences on an object that should have exactly `fields`."""
    if not isinstance(value, dict):
        return ["is not an object"]
    problems = [f"the field {key!r} is not known" for key in value if key not in fields]
    problems += [f"the field {key!r} is missing; what was not measured is null"
                 for key in fields if key not in value]
    for key, check in fields.items():
        expected = check(value[key]) if key in value else None
        if expected:
            shown = json.dumps(value[key])
            shown = shown if len(shown) < 60 else shown[:57] + "..."
            problems.append(f"the field {key!r} is {shown}; expected {expected}")
    return problems


DEVICE = {"name": _filled, "sm": _filled, "driver": _filled, "copy_gbps": _or_null(_positive)}
ROW = {
    "workload": _filled,
    "correct": _or_null(_boolean),
    "error": _or_null(_figure),
    "error_eager": _or_null(_figure),
    "errors": _or_null(_map_of(_or_null(_figure))),
    "mutants_killed": _or_null(_kills),
    "ms": _map_of(_or_null(_positive), SYSTEMS),
    "samples": _map_of(_samples),
    "interval": _map_of(_or_null(_pair)),
    "ms_after_phase": _or_null(_map_of(_or_null(_positive), ("algorithm", "mapping", "tiling", "memory"))),
    "searched_ms": _or_null(_positive),
    "floor_ms": _or_null(_positive),
    "flags": _flags,
    "workspace_bytes": _or_null(_count),
    "dispatches": _or_null(_count),
    "candidates": _or_null(_count),
    "legal_points": _or_null(_count),
    "seconds": _or_null(_figure),
    "gpu_seconds": _or_null(_figure),
    "tokens": _or_null(_object({"in": _count, "out": _count})),
    "payload": _or_null(_path),
    "recipe": _or_null(_path),
    "artifact_hash": _or_null(_hash),
    "ptx_hash": _or_null(_hash),
    "error_kind": _or_null(_error_kind),
    "note": _text,
}
TOP = {
    "format": lambda v: None if v == 1 and not isinstance(v, bool) else "1, the only format known",
    "suite": _filled,
    "policy": _policy,
    "date": lambda v: None if isinstance(v, str) and re.fullmatch(r"\d{4}-\d\d-\d\d(T[0-9:]{5,8}Z)?", v)
    else "a date as 2026-12-31 or a UTC time as 2026-12-31T23:59:59Z",
    "commit": lambda v: None if isinstance(v, str) and re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?", v)
    else "the hash of a commit",
    "command": _filled,
    "device": _object(DEVICE),
    "versions": lambda v: _map_of(_or_null(_filled), ("egg", "llvm", "ptxas", "libdevice", "torch"))(v),
    "rows": lambda v: None if isinstance(v, list) and 0 < len(v) <= 10000 else "a list of 1 to 10000 rows",
}


def close(stored, computed):
    """Whether a stored figure is the computed one, rounded to six digits."""
    return abs(stored - computed) <= ROUNDING * abs(computed)


def peer_pairs(row):
    """(peer, egg's system in the same mode) for each measured peer of a row."""
    samples = row["samples"]
    for peer in samples:
        if peer in ("egg", "egg_graph"):
            continue
        mine = "egg_graph" if peer.endswith("_graph") else "egg"
        if mine in samples:
            yield peer, mine


def row_problems(row):
    """Sentences on one row: its shape, then its figures against its samples."""
    problems = object_problems(row, ROW)
    if problems:
        return problems
    ms, samples, interval = row["ms"], row["samples"], row["interval"]
    for system in sorted(set(ms) | set(samples)):
        stored = ms.get(system)
        if system not in ms:
            problems.append(f"{system!r} has samples but no entry in 'ms'")
        elif stored is None and system in samples:
            problems.append(f"'ms' of {system!r} is null but it has samples")
        elif stored is not None and system not in samples:
            problems.append(f"'ms' of {system!r} is {stored} with no samples to show for it")
        elif stored is not None and not close(stored, stats.system_ms(samples[system])):
            problems.append(f"'ms' of {system!r} is {stored}; its samples give "
                            f"{stats.rounded(stats.system_ms(samples[system]))}")
    pairs = dict(peer_pairs(row))
    for peer in sorted(set(interval) | set(pairs)):
        if peer not in pairs:
            problems.append(f"'interval' of {peer!r} has no samples of both systems behind it")
        elif peer not in interval:
            problems.append(f"'interval' of {peer!r} is missing; without enough processes it is null")
        else:
            computed = stats.ratio_interval(samples[peer], samples[pairs[peer]])
            stored = interval[peer]
            same = stored is computed if None in (stored, computed) else all(map(close, stored, computed))
            if not same:
                shown = computed and [stats.rounded(v) for v in computed]
                problems.append(f"'interval' of {peer!r} is {stored}; its samples give {shown}")
    errors = row["errors"]
    if row["error"] is not None and errors:
        known = [v for v in errors.values() if v is not None]
        if known and not close(row["error"], max(known)) and row["error"] != max(known):
            problems.append(f"'error' is {row['error']}; the largest of 'errors' is {max(known)}")
    if row["correct"] and row["error"] is None:
        problems.append("'correct' is true with no 'error' measured")
    if row["correct"] and row["error_kind"] is not None:
        problems.append(f"'correct' is true with 'error_kind' {row['error_kind']!r}")
    if row["correct"] is False and row["error_kind"] is None:
        problems.append("'correct' is false with no 'error_kind'")
    if row["correct"] is None and (row["error"] is not None or row["error_kind"] is not None):
        problems.append("'correct' is null, egg was not run, but there is an 'error' or an 'error_kind'")
    if not row["correct"] and (ms["egg"] is not None or ms["egg_graph"] is not None):
        problems.append("egg has a time but 'correct' is not true; a wrong answer has no time")
    egg = [ms[s] for s in ("egg", "egg_graph") if ms[s] is not None]
    if egg and row["floor_ms"] is not None:
        below = min(egg) < row["floor_ms"]
        if below != ("below-floor" in row["flags"]):
            problems.append(f"egg's time is {min(egg)} ms and the floor {row['floor_ms']} ms; the flag "
                            f"'below-floor' {'is missing' if below else 'has no reason'}")
    return problems


def document_problems(document):
    """Every problem of a results document, each a sentence with its place."""
    problems = object_problems(document, TOP)
    if problems:
        return problems
    if re.search(r"analytic|emulat|no gpu", document["device"]["name"], re.IGNORECASE):
        problems.append(f"the device is {document['device']['name']!r}; only measured rows are allowed")
    seen = set()
    for number, row in enumerate(document["rows"]):
        name = row.get("workload") if isinstance(row, dict) else None
        name = name if isinstance(name, str) else number
        place = f"row {number} ({name})"
        problems += [f"{place}: {problem}" for problem in row_problems(row)]
        if name in seen:
            problems.append(f"{place}: the workload stands twice in one file")
        seen.add(name)
    return problems
