"""Whose mistake it was, in one line: place, value, what is allowed, and the nearest valid name."""

from __future__ import annotations

import re

WRONG_INPUT = 2
RULES = (  # what Typer says of a value, and what we say
    (r"a valid integer", "a whole number"),
    (r"a valid number", "a number"),
    (r"greater than or equal to (\S+)", r"a number at least \1"),
    (r"less than or equal to (\S+)", r"a number at most \1"),
)


def told(error: Exception) -> str | None:
    """What to say about a mistake in the input; None if the error is not the user's."""
    from typer import TyperException

    from motecast.core import MotecastError
    from motecast.filters import FilterError

    match error:
        case FilterError():
            return f"not a filter\n{error}"  # three lines of their own, for the caret must stand under its place
        case MotecastError():
            return " ".join(str(error).split("\n"))
        case TyperException():
            return _usage(error)
        case ModuleNotFoundError():
            return missing_extra(error.name)
        case OSError():
            return f"{error.filename}: {_lower(error.strerror or 'cannot be used')}" if error.filename else None
        case _:
            return None


def missing_extra(module: str | None) -> str | None:
    """Which extra of the package brings this module, said as an order; None if none does."""
    root = (module or "").partition(".")[0].replace("_", "-").lower()
    extras = (extra for need, extra in needs() if need == root and extra)
    return next((f"needs motecast[{extra}]: pip install 'motecast[{extra}]'" for extra in extras), None)


def needs() -> list[tuple[str, str]]:
    """The distributions that motecast needs, each with the extra that brings it, "" if they are always there."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        texts = requires("motecast") or []
    except PackageNotFoundError:
        return []
    found = (re.match(r"([\w.-]+)(?:.*extra == ['\"]([\w-]+)['\"])?", text) for text in texts)
    return [(each[1].lower(), each[2] or "") for each in found if each]


def _usage(error: Exception) -> str:
    """Typer's complaint with the command that it is about."""
    from typer import TyperException

    assert isinstance(error, TyperException), error
    context = getattr(error, "ctx", None)  # a complaint about a command line knows where it arose
    path = str(context.command_path) if context else ""
    place = path.removeprefix("motecast").strip()
    message = _plainly(" ".join(error.format_message().split()).rstrip("."))
    start = f"{place}: " if place else ""
    return f"{start}{_lower(message)} (see {path or 'motecast'} --help)"


def _plainly(message: str) -> str:
    """The words in which we say what is allowed, where Typer has its own."""
    wrong = re.fullmatch(r"Invalid value for '?(.+?)'?: Input should be (.+)", message)
    for pattern, words in RULES if wrong else ():
        assert wrong is not None
        found = re.match(pattern, wrong[2])
        if found:
            return f"{wrong[1]}: allowed: {found.expand(words)}"
    return message


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
