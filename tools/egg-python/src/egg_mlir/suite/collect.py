"""From the answers of the fresh processes to one results document."""
from egg_mlir import results, stats

# The systems of a row that the suite itself times.
SYSTEMS = results.SYSTEMS


def worst(values):
    """The largest known value of a list, or None."""
    known = [value for value in values if value is not None]
    return max(known) if known else None


def merge_errors(answers, key):
    """Per distribution the worst of the processes."""
    names = sorted({name for answer in answers for name in (answer[key] or {})})
    return {name: rounded_or_none(worst([(a[key] or {}).get(name) for a in answers])) for name in names} or None


def rounded_or_none(value):
    """Six digits, None for None and for what is no finite number."""
    return stats.rounded(value) if results.is_number(value) else None


def row(suite_row, answers, floor, artifact):
    """One row. `answers` holds one answer of worker.py a process on this
    workload; `artifact` what artifact.read gave, or None."""
    kinds = [a["error_kind"] for a in answers if a["error_kind"]]
    # Not run at all, wrong or refused, or right in every process.
    correct = False if kinds else (True if all(a["errors"] for a in answers) else None)
    # A system counts only when every process timed it: process i is a pair.
    systems = [s for s in answers[0]["samples"] if all(s in a["samples"] for a in answers)]
    if not correct:
        systems = [s for s in systems if s not in ("egg", "egg_graph")]
    samples = {s: [[stats.rounded(v, 5) for v in a["samples"][s]] for a in answers] for s in systems}
    ms = dict.fromkeys(SYSTEMS)
    ms.update({s: stats.rounded(stats.system_ms(samples[s])) for s in samples})
    interval = {}
    for peer, mine in results.peer_pairs({"samples": samples}):
        found = stats.ratio_interval(samples[peer], samples[mine])
        interval[peer] = found and [stats.rounded(v) for v in found]
    errors = merge_errors(answers, "errors")
    eager = merge_errors(answers, "errors_eager")
    times = [ms[s] for s in ("egg", "egg_graph") if ms[s] is not None]
    flags = ["below-floor"] if times and floor is not None and min(times) < stats.rounded(floor) else []
    flags += ["plain"] if artifact else []
    kills = [a["mutants_killed"] for a in answers if a["mutants_killed"]]
    notes = sorted({note for a in answers for note in a["notes"]})
    return {
        "workload": suite_row["name"], "correct": correct,
        "error": worst(errors.values()) if errors and correct is not None else None,
        "error_eager": worst(eager.values()) if eager else None,
        "errors": errors, "mutants_killed": min(kills) if kills else None,
        "ms": ms, "samples": samples, "interval": interval, "ms_after_phase": None, "searched_ms": None,
        "floor_ms": rounded_or_none(floor), "flags": flags,
        "workspace_bytes": artifact["plan"]["workspace_bytes"] if artifact else None,
        "dispatches": artifact["launches"] if artifact else None,
        "candidates": None, "legal_points": None, "seconds": None, "gpu_seconds": None, "tokens": None,
        "payload": suite_row["payload"], "recipe": None,
        "artifact_hash": artifact["hash"] if artifact else None, "ptx_hash": None,
        "error_kind": kinds[0] if kinds else None, "note": "; ".join(notes)[:4096],
    }


def document(suite, rows, device, versions, date, commit, command):
    """The whole document. Raises results.Problem where it would not pass the
    check that CI runs: nothing is written that a reader could not verify."""
    made = {"format": 1, "suite": suite["suite"], "policy": suite["policy"], "date": date, "commit": commit,
            "command": command, "device": device, "versions": versions, "rows": rows}
    problems = results.document_problems(made)
    if problems:
        raise results.Problem("the results do not pass their own check: " + "; ".join(problems))
    return made
