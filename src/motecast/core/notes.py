"""What a layer may write into the trace: rows of its own kinds, and free words. The host's rows nobody can forge."""

from __future__ import annotations

from motecast.core.errors import StackError

NOTED = frozenset({"duplicate", "drop", "gap", "store", "unstore"})  # kinds of rows that say what a layer did
FREE = "note"  # the kind of a row for any other word; as a word it says nothing itself
HOSTED = frozenset(
    {
        "start", "subscribe", "unsubscribe", "publish", "send", "broadcast", "receive", "lose", "deliver", "reject",
        "timer", "linkup", "linkdown", "move", "crash", "recover", "energy",
    }
)  # kinds of rows that hosts alone write  # fmt: skip


def check_note(layer: str, what: str) -> None:
    """Raises `StackError` for a word that would be a row of the host's."""
    if what in HOSTED:
        raise StackError(
            f"{layer} notes {what!r}, a row that only the host writes; a layer writes {', '.join(sorted(NOTED))} "
            "and any word that is no kind of a row"
        )
