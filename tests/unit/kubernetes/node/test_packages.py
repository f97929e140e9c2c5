import pytest

from tests.kubernetes.errors import ClusterError
from tests.kubernetes.node.packages import find, missing


def test_only_what_is_missing_is_installed() -> None:
    """A package is named once, however many of its programs are not there."""
    programs = {"sh": "dash", "no-such-a": "nothing", "no-such-b": "nothing", "no-such-c": "else"}

    assert missing(programs) == ["else", "nothing"]


def test_a_missing_program_is_named_with_its_package() -> None:
    """The person can install it."""
    with pytest.raises(ClusterError, match=r"no-such-thing is not installed: apt-get install"):
        find("no-such-thing")
