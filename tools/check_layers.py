#!/usr/bin/env python3
"""Checks that every file includes only its own layer and layers above it.

The table is the one of docs/architecture.md. Layers that know no MLIR must not
include MLIR's or LLVM's headers, and public headers hold no nlohmann/json and
no spdlog (Support/Json.h, which exists to share JSON helpers, is the exception,
and only .cpp files may include it).

usage: check_layers.py [ROOT]; exit code 1 and one line per wrong include
"""
import pathlib
import re
import sys

# (layer number, folder under include/egg and lib, uses MLIR)
LAYERS = [
    (1, "Support", False),
    (2, "Device", False),
    (3, "Runtime", False),
    (4, "Eval", False),
    (5, "Proposal", False),
    (6, "Search", False),
    (7, "LLM", False),
    (8, "Driver", False),
    (9, "Dialect", True),
    (10, "Transforms", True),
    (11, "TransformExtensions", True),
    (12, "Pipelines", True),
    (12, "BlockLowering", True),
    (12, "CpuRunner", True),
    (12, "Emulator", True),
    (13, "Analysis", True),
    (13, "Recipe", True),
    (13, "Serve", True),
    (14, "InitAll", True),
    (14, "OptimizePass", True),
]
NUMBER = {folder: number for number, folder, _ in LAYERS}
USES_MLIR = {folder: mlir for _, folder, mlir in LAYERS}
# llm/ implements the Proposal layer's interface and must not see Search.
FORBIDDEN_PAIRS = {("LLM", "Search")}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".c", ".inc"}


def room_of(path: pathlib.PurePath) -> str:
    """The layer's folder of a file given relative to the root, or ''."""
    parts = path.parts
    if parts[:2] == ("include", "egg") and len(parts) > 3:
        return parts[2]
    if parts[:2] == ("include", "egg-c"):
        return "Runtime"
    if parts[0] == "lib" and len(parts) > 2:
        return parts[1]
    if parts[0] == "llm":
        return "LLM"
    return ""


def problems_of(path: pathlib.PurePath, text: str) -> list[str]:
    """What is wrong with one file, a sentence each."""
    room = room_of(path)
    if not room:
        return []
    if room not in NUMBER:
        return [f"{path}: folder {room} is not in the table of layers in tools/check_layers.py"]
    problems = []
    is_public_header = path.parts[0] == "include"
    for header in INCLUDE.findall(text):
        other = room_of(pathlib.PurePath("include", header)) if header.startswith("egg/") else ""
        if other:
            if other not in NUMBER:
                problems.append(f"{path}: includes {header}, whose folder is not in the table of layers")
            elif NUMBER[other] > NUMBER[room] or (room, other) in FORBIDDEN_PAIRS:
                problems.append(
                    f"{path}: layer {NUMBER[room]} ({room}) includes {header} of layer {NUMBER[other]} ({other}); "
                    "a layer includes only layers above it in the table"
                )
        if not USES_MLIR[room] and header.startswith(("mlir/", "llvm/", "mlir-c/")):
            problems.append(f"{path}: layer {NUMBER[room]} ({room}) knows no MLIR, but includes {header}")
        if is_public_header and header == "egg/Support/Json.h":
            problems.append(f"{path}: a public header includes {header}; only .cpp files may")
        if is_public_header and header.startswith(("nlohmann/", "spdlog/")) and path.name != "Json.h":
            problems.append(f"{path}: a public header includes {header}; keep it in a .cpp file")
        if "InitAll" in header and room not in ("InitAll", "OptimizePass"):
            problems.append(f"{path}: includes {header}; only the InitAll library may")
    return problems


def main(root: pathlib.Path) -> int:
    problems = []
    files = 0
    for folder in ("include", "lib", "llm"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                files += 1
                problems += problems_of(path.relative_to(root), path.read_text(encoding="utf-8"))
    if not files:
        problems.append(f"{root}: no source file found")
    print("\n".join(problems) if problems else f"{files} files keep to the layers")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
