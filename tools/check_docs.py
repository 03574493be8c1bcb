#!/usr/bin/env python3
"""Checks the Markdown of the tree against the tree: relative links lead to files,
and the layers and programs of docs/architecture.md exist unless marked
"(not yet)".

usage: check_docs.py [ROOT]; exit code 1 and one line per fault
"""
import pathlib
import re
import sys

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
LAYER = re.compile(r"^\| \d+ \| (\w+)( \(not yet\))? \|", re.MULTILINE)
PROGRAM = re.compile(r"^\| (egg-[\w-]+)( \(not yet\))? \|", re.MULTILINE)
# Layers whose sources are not under lib/.
ELSEWHERE = {"LLM": "llm"}


def faults(root: pathlib.Path):
    """One sentence a fault."""
    skipped = {"build", ".git", "node_modules"}
    for page in sorted(root.rglob("*.md")):
        # TableGen's pages hold brackets that are no links.
        if skipped & set(page.relative_to(root).parts) or page.parent.name == "generated":
            continue
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            path = target.split("#")[0]
            if path and "://" not in path and not (page.parent / path).exists():
                yield f"{page.relative_to(root)}: the link to {target} leads nowhere"
    page = root / "docs" / "architecture.md"
    text = page.read_text(encoding="utf-8")
    named = LAYER.findall(text)
    for folder, missing in named:
        if not missing and not (root / ELSEWHERE.get(folder, f"lib/{folder}")).is_dir():
            yield f"docs/architecture.md: there is no layer {folder} in lib/"
    for program, missing in PROGRAM.findall(text):
        if not missing and not (root / "tools" / program).is_dir():
            yield f"docs/architecture.md: there is no tools/{program}"
    if not named:
        yield "docs/architecture.md: the table of layers is not there"


def main() -> int:
    found = list(faults(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
