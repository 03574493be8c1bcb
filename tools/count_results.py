#!/usr/bin/env python3
"""Prints lit's results as the one closing line of tools/check.sh.

usage: count_results.py RESULTS.json
"""
import collections
import json
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        codes = collections.Counter(test["code"] for test in json.load(file)["tests"])
    passed = sum(codes[code] for code in PASSED)
    skipped = sum(codes[code] for code in SKIPPED)
    failed = sum(codes.values()) - passed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
