"""Proxar: whole lists, only the changes in schemas counted."""

import loop  # type: ignore[import-not-found]

from proxar.contract import ToolList, Verdict, compare, parse


def read(text: str) -> ToolList:
    """Read as `proxar diff` does, the hash included."""
    return parse(text.encode())


def judge(old: ToolList, new: ToolList) -> dict[str, str]:
    """Compare as `proxar diff` does."""
    verdicts = dict.fromkeys({it.name for it in old.tools} & {it.name for it in new.tools}, "fine")
    for change in compare(old, new).changes:
        if change.verdict is Verdict.BREAKING and loop.is_about_schemas(change.pointer):
            verdicts[change.tool] = "breaking"
    return verdicts


loop.run(read, judge)
