"""One self-contained HTML page for results: no outside files, a content security
policy that allows only the page's own scripts by their hash, every text escaped.

Charts need plotly (the extra [plots]); without it the page says that they are
left out and holds the tables alone.
"""
import base64
import hashlib
import html
import re

from egg_mlir import results, tables

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; color: #1c1c1c; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #d5d5d5; padding: .3rem .7rem; text-align: right; white-space: nowrap; }
th { background: #f2f2f2; position: sticky; top: 0; }
th:first-child, td:first-child { text-align: left; }
.scroll { overflow-x: auto; }
.faster { color: #0a6b2d; font-weight: 600; } .slower, .failed { color: #a32020; } .tie, .unknown { color: #555; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
"""


def escape(text):
    """Any text as literal text of HTML, control characters left out."""
    return html.escape(tables.plain(text), quote=True)


def _table(heads, rows):
    lines = ["<div class=scroll><table><thead><tr>" + "".join(f"<th>{escape(h)}</th>" for h in heads) + "</tr></thead><tbody>"]
    for row in rows:
        cells = []
        for head, cell in zip(heads, row):
            word = cell.split(":")[0] if head == "verdict" else ""
            name = f" class={word}" if word in ("faster", "slower", "tie", "unknown", "failed") else ""
            cells.append(f"<td{name}>{escape(cell)}</td>")
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return "\n".join(lines) + "</tbody></table></div>"


def plotly_module():
    """plotly, or None where it is not installed."""
    try:
        import plotly.graph_objects
        import plotly.io
        return plotly
    except ImportError:
        return None


def _chart(plotly, document):
    """A point a workload and peer: time(peer) / time(egg), on a log scale."""
    figure = plotly.graph_objects.Figure()
    rows = [r for r in document["rows"] if r["ms"]["egg"] is not None]
    for peer in tables.peer_systems(document):
        # plotly reads tags in labels.
        figure.add_scatter(name=escape(tables.PEERS.get(peer, peer)), mode="markers", marker={"size": 11},
                           x=[escape(r["workload"]) for r in rows], y=[tables.ratio(r, peer) for r in rows])
    figure.update_layout(yaxis_title="time of peer / time of egg", yaxis_type="log", height=420)
    figure.add_hline(y=1)
    return plotly.io.to_html(figure, include_plotlyjs=False, full_html=False)


def policy(page_scripts):
    """The content security policy for a page with exactly these scripts."""
    hashes = " ".join("'sha256-" + base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() + "'"
                      for s in page_scripts)
    return ("default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; "
            f"script-src {hashes or chr(39) + 'none' + chr(39)}; base-uri 'none'; form-action 'none'")


def render(documents, plotly="installed"):
    """The page of a list of documents. `plotly` is the module to chart with,
    None for no charts, or "installed" for the one that is there, if any."""
    if plotly == "installed":
        plotly = plotly_module()
    parts = ["<h1>egg: results</h1>"]
    if not documents:
        parts.append(f"<p>Results: {escape(tables.NOT_MEASURED)}.</p>")
    elif plotly is None:
        parts.append("<p>Charts are left out: plotly is not installed (the extra [plots] of egg-mlir).</p>")
    else:
        from plotly.offline import get_plotlyjs
        parts.append("<script>" + get_plotlyjs() + "</script>")
    for document in documents:
        peers = tables.peer_systems(document)
        parts.append(f"<h2>{escape(document['suite'])} on {escape(document['device']['name'])}</h2>")
        parts.append("<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in tables.provenance(document)) + "</dl>")
        if plotly is not None:
            parts.append(_chart(plotly, document))
        parts += [f"<p>{escape(text)}</p>" for text in tables.headline_texts(document)]
        parts.append(_table(tables.columns(peers), [tables.row_cells(r, peers) for r in document["rows"]]))
        notes = [(r["workload"], r["note"]) for r in document["rows"] if r["note"]]
        if notes:
            parts.append("<ul>" + "".join(f"<li>{escape(a)}: {escape(b)}</li>" for a, b in notes) + "</ul>")
        used = sorted({flag for r in document["rows"] for flag in r["flags"]})
        parts += [f"<p>{escape(flag)}: {escape(results.FLAGS[flag])}.</p>" for flag in used]
    body = "\n".join(parts)
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", body, re.DOTALL)
    head = (f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{html.escape(policy(scripts))}">'
            f"<title>egg: results</title><style>{STYLE}</style>")
    return f"<!doctype html>\n<html lang=en><head>{head}</head>\n<body>\n{body}\n</body></html>\n"
