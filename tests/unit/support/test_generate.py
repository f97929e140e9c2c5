"""Generated files are up to date, and the generator touches nothing else."""

from pathlib import Path

import pytest

from tests.support.generate import fill, stale


def test_every_generated_file_is_up_to_date() -> None:
    """`make generate` was run after the last change of a source."""
    assert stale() == []


def test_a_section_is_renewed_and_the_rest_kept(tmp_path: Path) -> None:
    """What a person wrote around a section stays, backslashes in the new text included."""
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- generated: a -->\nold\n<!-- end of a -->\nafter\n")

    filled = fill(page, {"a": r"new \1"})

    assert filled == ("before\n<!-- generated: a -->\n\nnew \\1\n\n<!-- end of a -->\nafter\n")


def test_a_missing_section_is_named(tmp_path: Path) -> None:
    """A page that lost a marker is an error, not a page without its reference."""
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")

    with pytest.raises(ValueError, match="generated: a"):
        fill(page, {"a": "new"})
