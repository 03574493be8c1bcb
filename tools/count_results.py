#!/usr/bin/env python3
"""Prints the summary of a lit run as the one closing line of tools/check.sh.

usage: count_results.py LOG

LOG is what lit printed. Its --output file is not read: it leaves out the unit
tests that were skipped.
"""
import collections
import re
import sys

SUMMARY = re.compile(r"^ +([A-Z][A-Za-z ]*?) *: +(\d+) \(", re.MULTILINE)
PASSED = {"Passed", "Expectedly Failed", "Passed With Retry"}
SKIPPED = {"Unsupported", "Skipped"}
NOT_RUN = {"Excluded"}  # by a filter


def main(path: str) -> int:
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    counts = collections.Counter()
    for name, count in SUMMARY.findall(text[text.rfind("Total Discovered Tests"):]):
        kind = "passed" if name in PASSED else "skipped" if name in SKIPPED else "failed"
        if name not in NOT_RUN:
            counts[kind] += int(count)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 0 if counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
