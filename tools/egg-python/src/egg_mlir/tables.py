"""Results as figures and as Markdown: one row a workload, headlines below."""
import re

from egg_mlir import results, stats

FAST = (1.0, 1.2)
NOT_MEASURED = "not measured yet"
PEERS = {"eager": "eager", "compile": "compile", "max_autotune": "max-autotune",
         "max_autotune_graph": "max-autotune, graphs"}


def plain(text):
    """`text` on one line, without control characters."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]", " ", str(text))


def markdown(text):
    """`text` as literal text inside a Markdown table cell."""
    text = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|!~#$])", r"\\\1", text)


def ms_text(value):
    """A time in ms with four significant digits, or a dash."""
    return "-" if value is None else f"{value:.4g}"


def peer_systems(document):
    """The peers of a document in launch mode, the usual ones first."""
    found = {s for row in document["rows"] for s, v in row["ms"].items() if v is not None}
    found -= {"egg"}
    found = {s for s in found if not s.endswith("_graph")}
    usual = [p for p in PEERS if p in found]
    return usual + sorted(found - set(usual))


def best_peer(row, mode="launch"):
    """(system, ms) of the fastest measured peer in a mode, or (None, None)."""
    times = {s: v for s, v in row["ms"].items()
             if v is not None and s not in ("egg", "egg_graph") and s.endswith("_graph") == (mode == "graph")}
    if not times:
        return None, None
    system = min(times, key=lambda s: (times[s], s))
    return system, times[system]


def ratio(row, peer, mine="egg"):
    """time(peer) / time(egg), or None where one was not measured."""
    a, b = row["ms"].get(peer), row["ms"].get(mine)
    return None if a is None or b is None else a / b


def headline(rows, peer):
    """Figures over all rows that are not set apart, against one peer: a dict of
    the counts, the means with failures as 1.0 and without them. None when no
    row measured the peer and ran egg."""
    rows = [r for r in rows if not set(r["flags"]) & set(results.SET_APART)]
    rows = [r for r in rows if r["ms"].get(peer) is not None and r["correct"] is not None]
    if not rows:
        return None
    known = [ratio(r, peer) if r["correct"] else None for r in rows]
    measured = [v for v in known if v is not None]
    filled = [1.0 if v is None else v for v in known]

    def means(values):
        if not values:
            return {"geometric": None, "arithmetic": None, "median": None}
        return {"geometric": stats.geometric_mean(values), "arithmetic": sum(values) / len(values),
                "median": stats.median(values)}

    return {
        "tasks": len(rows), "failed": len(rows) - len(measured),
        "with_fallback": means(filled), "without_fallback": means(measured),
        "fast": {limit: sum(v is not None and v > limit for v in known) / len(rows) for limit in FAST},
    }


def verdict_text(row, against, interval):
    """A row's verdict against its best peer, or why there is none."""
    if row["correct"] is False:
        return f"failed: {row['error_kind']}"
    return "-" if against is None else stats.verdict(interval)


def row_cells(row, peers):
    """The texts of one row, not escaped: see `columns`."""
    system, best = best_peer(row)
    against = ratio(row, system) if system else None
    interval = row["interval"].get(system) if system else None
    word = verdict_text(row, against, interval)
    speed = "-" if against is None else f"{against:.2f}x"
    if interval and against is not None:
        speed += f" [{interval[0]:.2f}, {interval[1]:.2f}]"
    floor = row["floor_ms"]
    over = "-" if floor is None or row["ms"]["egg"] is None else f"{row['ms']['egg'] / floor:.2f}x"
    cells = [row["workload"], ms_text(row["ms"]["egg"])]
    cells += [ms_text(row["ms"].get(p)) for p in peers]
    cells += [speed, word, over,
              "-" if row["error"] is None else f"{row['error']:.1e}",
              "-" if row["error_eager"] is None else f"{row['error_eager']:.1e}",
              "-" if row["mutants_killed"] is None else f"{row['mutants_killed'][0]}/{row['mutants_killed'][1]}",
              ", ".join(row["flags"]) or "-"]
    return cells


def columns(peers):
    """The heads of the columns that `row_cells` fills."""
    return (["workload", "egg ms"] + [f"{PEERS.get(p, p)} ms" for p in peers] +
            ["best peer / egg", "verdict", "egg / floor", "error", "error of eager", "mutants refused", "flags"])


def provenance(document):
    """What was measured on what, as (name, text) pairs."""
    device = document["device"]
    copy = device["copy_gbps"]
    pairs = [("suite", document["suite"]), ("policy", document["policy"]),
             ("device", f"{device['name']} ({device['sm']}), driver {device['driver']}"),
             ("copy bandwidth", "not measured" if copy is None else f"{copy:.0f} GB/s"),
             ("date", document["date"]), ("commit", document["commit"]), ("command", document["command"])]
    return pairs + [(f"version of {k}", v or "not known") for k, v in sorted(document["versions"].items())]


def headline_texts(document):
    """Sentences of the headline, one a peer."""
    texts = []
    for peer in peer_systems(document):
        figures = headline(document["rows"], peer)
        if figures is None:
            continue
        with_, without = figures["with_fallback"], figures["without_fallback"]
        alone = "none" if without["geometric"] is None else f"{without['geometric']:.2f}x"
        texts.append(
            f"Over {PEERS.get(peer, peer)}, {figures['tasks']} workloads, {figures['failed']} failed: "
            f"geometric mean {with_['geometric']:.2f}x ({alone} without failures), arithmetic {with_['arithmetic']:.2f}x, "
            f"median {with_['median']:.2f}x, faster on {figures['fast'][1.0]:.0%}, by 1.2x on {figures['fast'][1.2]:.0%}.")
    return texts


def markdown_table(heads, rows):
    """A Markdown table; every cell is escaped here."""
    lines = ["| " + " | ".join(markdown(h) for h in heads) + " |",
             "| " + " | ".join("---" for _ in heads) + " |"]
    return "\n".join(lines + ["| " + " | ".join(markdown(c) for c in row) + " |" for row in rows])


def document_markdown(document):
    """A whole document as Markdown."""
    peers = peer_systems(document)
    parts = [f"## {markdown(document['suite'])} on {markdown(document['device']['name'])}",
             "\n".join(f"- {markdown(k)}: {markdown(v)}" for k, v in provenance(document)),
             "Launch mode, medians in ms, fastest peer over egg with its 95 % interval.",
             markdown_table(columns(peers), [row_cells(r, peers) for r in document["rows"]])]
    graph = [r for r in document["rows"] if r["ms"]["egg_graph"] is not None]
    if graph:
        lines = []
        for row in graph:
            system, best = best_peer(row, "graph")
            speed = "-" if system is None else f"{best / row['ms']['egg_graph']:.2f}x"
            lines.append([row["workload"], ms_text(row["ms"]["egg_graph"]), system or "-", ms_text(best), speed])
        parts += ["Graph mode (a peer's graphs copy its inputs).",
                  markdown_table(["workload", "egg ms", "best peer", "its ms", "peer / egg"], lines)]
    parts += headline_texts(document)
    notes = [f"- {markdown(r['workload'])}: {markdown(r['note'])}" for r in document["rows"] if r["note"]]
    return "\n\n".join(parts + (["\n".join(notes)] if notes else [])) + "\n"


def readme_table(documents):
    """The short table of README.md: one row a workload of every document."""
    if not documents:
        return f"Results: {NOT_MEASURED}."
    lines = []
    for document in documents:
        for row in document["rows"]:
            system, best = best_peer(row)
            speed = ratio(row, system) if system else None
            interval = row["interval"].get(system) if system else None
            word = verdict_text(row, speed, interval)
            lines.append([row["workload"], document["device"]["name"], ms_text(row["ms"]["egg"]),
                          f"{ms_text(best)} ({PEERS.get(system, system)})" if system else "-",
                          "-" if speed is None else f"{speed:.2f}x", word])
    return markdown_table(["workload", "device", "egg ms", "fastest peer ms", "peer / egg", "verdict"], lines)
