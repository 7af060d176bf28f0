"""Write requirements/*.txt: the exact versions that .venv holds, one file an extra, each with everything it needs.

    .venv/bin/python tools/pins.py

To move to newer versions: make a fresh environment, `pip install -e '.[all,dev]'` in it, run this file with its
Python, read the diff, run `make test`.
"""

from __future__ import annotations

import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("sim", "spark", "live", "ui", "dev")
OLDEST_PYTHON = "3.11.2"  # Debian 12; a pin that needs a newer one would break make setup there
HEADER = "# Written by tools/pins.py from a resolved environment. Do not edit by hand.\n"


def closure(wanted: list[str]) -> dict[str, str]:
    """name -> version of everything that these requirements need in this environment."""
    pins: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    todo = [(Requirement(text), "") for text in wanted]
    while todo:
        requirement, extra = todo.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        found = distribution(requirement.name)
        supported = found.metadata["Requires-Python"] or ""
        if not SpecifierSet(supported).contains(OLDEST_PYTHON):
            raise SystemExit(f"pins: {found.name} {found.version} needs Python {supported}, we promise {OLDEST_PYTHON}")
        pins[canonicalize_name(requirement.name)] = found.version
        for chosen in ("", *sorted(requirement.extras)):
            key = (canonicalize_name(requirement.name), chosen)
            if key not in seen:
                seen.add(key)
                todo += [(Requirement(text), chosen) for text in found.requires or []]
    return pins


def write(name: str, pins: dict[str, str], include: str = "") -> None:
    """One file, sorted by name."""
    lines = [f"{package}=={pins[package]}\n" for package in sorted(pins)]
    path = ROOT / "requirements" / f"{name}.txt"
    path.write_text(HEADER + include + "".join(lines), encoding="utf-8")
    print(f"{path.relative_to(ROOT)}: {len(lines)} packages")


def main() -> None:
    """Base first; every other file includes it and lists only what it adds."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    base = closure(project["dependencies"])
    write("build", closure(settings["build-system"]["requires"]))
    write("base", base)
    for extra in EXTRAS:
        pins = closure(project["optional-dependencies"][extra])
        write(extra, {name: version for name, version in pins.items() if name not in base}, "-r base.txt\n")


if __name__ == "__main__":
    main()
