"""The ratchet: some counts of the code may shrink but never grow.

.venv/bin/python tools/tidy.py             # compare with tools/tidy.json
.venv/bin/python tools/tidy.py --update    # lower the baseline to what is there now
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("src", "tests", "tools", "bench", "examples")
BASELINE = "tools/tidy.json"
FUNCTION_LINES = 60
FILE_LINES = 400

# Spelled with a class of one letter, so that this file does not find itself.
UNTYPED = re.compile(r"#\s*type:\s*ignore")
UNFINISHED = re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b")

Finding = tuple[str, str]  # what is counted, and where


def findings(path: str, source: str) -> Iterator[Finding]:
    """Everything in one file that the ratchet counts."""
    lines = source.splitlines()
    if len(lines) > FILE_LINES:
        yield "long_files", f"{path}: {len(lines)} lines"
    for number, line in enumerate(lines, 1):
        if UNTYPED.search(line):
            yield "type_ignores", f"{path}:{number}"
        if UNFINISHED.search(line):
            yield "unfinished", f"{path}:{number}"
    for node in ast.walk(ast.parse(source, path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield "long_functions", f"{path}:{node.lineno}: {node.name} has {length} lines"


def survey(root: Path) -> dict[str, list[str]]:
    """For every count, the places that make it up."""
    places: dict[str, list[str]] = {"long_functions": [], "long_files": [], "type_ignores": [], "unfinished": []}
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*.py")):
            for kind, place in findings(str(file.relative_to(root)), file.read_text(encoding="utf-8")):
                places[kind].append(place)
    return places


def compare(places: dict[str, list[str]], baseline: dict[str, int]) -> tuple[list[str], bool]:
    """What to tell the reader, and whether it is a failure."""
    told, failed = [], False
    for kind, where in places.items():
        allowed = baseline.get(kind, 0)
        if len(where) > allowed:
            failed = True
            told += [f"tidy: {kind} grew from {allowed} to {len(where)}:", *(f"  {place}" for place in where)]
        elif len(where) < allowed:
            told.append(
                f"tidy: {kind} shrank from {allowed} to {len(where)}; keep it so: python tools/tidy.py --update"
            )
    return told, failed


def main(arguments: list[str] | None = None, root: Path = Path(__file__).resolve().parent.parent) -> int:
    """Exit code 0, or 1 when a count grew."""
    parser = argparse.ArgumentParser(description="The ratchet: these counts may shrink but never grow.")
    parser.add_argument("--update", action="store_true", help="lower the baseline to the present counts")
    options = parser.parse_args(arguments)
    places = survey(root)
    path = root / BASELINE
    baseline: dict[str, int] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    told, failed = compare(places, baseline)
    counts = {kind: len(where) for kind, where in places.items()}
    if options.update and not failed:
        path.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
        told = []
    print("\n".join([*told, "tidy: " + ", ".join(f"{count} {kind}" for kind, count in counts.items())]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
