"""Text in terminal columns: how wide it is, and where it breaks."""

import unicodedata
from collections.abc import Iterator

from proxar.report.words import Line, Run

__all__ = ["columns", "cut", "marked", "wrapped"]


def columns(shown: str) -> int:
    """The columns of a terminal that the text takes: wide characters two, combining ones none."""
    return len(shown) if shown.isascii() else sum(map(_width, shown))


def cut(shown: str, room: int | None) -> str:
    """The text in at most `room` columns, the cut marked by an ellipsis."""
    if room is None or columns(shown) <= room:
        return shown
    used, end = 1, 0
    while used + _width(shown[end]) <= room:
        used += _width(shown[end])
        end += 1
    return f"{shown[:end]}…"


def marked(line: Line, marks: tuple[str, str] | None) -> Line:
    """The line with its changed runs between the two marks.

    A line that changed as a whole needs none: its side, or the sign in front of it, says so. One of
    spaces alone could not be seen without.
    """
    spaces = any(run.text for run in line) and not any(run.text.strip() for run in line)
    if marks is None or (all(run.changed for run in line) and not spaces):
        return line
    return tuple(
        Run(f"{marks[0]}{run.text}{marks[1]}", changed=True) if run.changed else run for run in line
    )


def wrapped(line: Line, room: int | None) -> list[Line]:
    """The line in pieces of at most `room` columns, broken at spaces where there are any;

    never none at all.
    """
    if room is None or sum(columns(run.text) for run in line) <= room:
        return [line]
    pieces: list[list[Run]] = [[]]
    used = 0
    for word in _words(line, room):
        width = columns(word.text)
        if used and used + columns(word.text.rstrip()) > room:
            pieces.append([])
            used = 0
        pieces[-1].append(word)
        used += width
    return [_trimmed(piece) for piece in pieces]


def _words(line: Line, room: int) -> Iterator[Run]:
    """Each word with the spaces behind it; one that is wider than the room in parts."""
    for run in line:
        word, width = "", 0
        for character in run.text:
            if word and (
                (word[-1] == " " and character != " ") or width + _width(character) > room
            ):
                yield Run(word, run.changed)
                word, width = "", 0
            word += character
            width += _width(character)
        if word:
            yield Run(word, run.changed)


def _trimmed(piece: list[Run]) -> Line:
    """The piece without the spaces at its end, which the break stands for;

    neighbours of a kind are joined.
    """
    joined: list[Run] = []
    for run in piece:
        if joined and joined[-1].changed == run.changed:
            joined[-1] = Run(joined[-1].text + run.text, run.changed)
        else:
            joined.append(run)
    if joined:
        joined[-1] = Run(joined[-1].text.rstrip(" "), joined[-1].changed)
    return tuple(joined)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
