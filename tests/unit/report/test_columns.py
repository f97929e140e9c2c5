"""Text in terminal columns."""

from hypothesis import given
from hypothesis import strategies as st

from proxar.report.columns import columns, cut, marked, wrapped
from proxar.report.words import Run


def test_counts_wide_and_combining_characters_as_a_terminal_does() -> None:
    """Otherwise the bar between old and new would not be straight."""
    assert columns("abc") == 3
    assert columns("日本") == 4
    assert columns("e\u0301") == 1


def test_breaks_at_spaces_and_inside_a_word_only_when_it_must() -> None:
    """A word that is wider than the room is the only one to be broken."""
    assert wrapped((Run("one two abcdefgh"),), 5) == [
        (Run("one"),),
        (Run("two"),),
        (Run("abcde"),),
        (Run("fgh"),),
    ]


def test_marks_changed_words_but_not_a_line_that_changed_as_a_whole() -> None:
    """Marks around everything would say nothing."""
    assert marked((Run("a "), Run("b", True)), ("[-", "-]")) == (Run("a "), Run("[-b-]", True))
    assert marked((Run("b", True),), ("[-", "-]")) == (Run("b", True),)


@given(st.lists(st.builds(Run, st.text("ab 日", min_size=1), st.booleans())), st.integers(2, 30))
def test_never_exceeds_the_room_nor_loses_a_word(runs: list[Run], room: int) -> None:
    """What is not a space is all there, in order."""
    pieces = wrapped(tuple(runs), room)

    assert pieces
    assert all(sum(columns(run.text) for run in piece) <= room for piece in pieces)
    together = "".join(run.text for piece in pieces for run in piece)
    assert together.replace(" ", "") == "".join(run.text for run in runs).replace(" ", "")


def test_cuts_by_columns_and_says_so() -> None:
    """A wide character that fits by half is left out."""
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdef", 5) == "abcd…"
    assert cut("a漢字", 4) == "a漢…"
    assert cut("a漢字", 3) == "a…"
    assert cut("a" * 500, None) == "a" * 500
