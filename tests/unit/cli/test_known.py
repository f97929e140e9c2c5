"""Which tool list a word on the command line means."""

import pytest

from proxar.cli.known import known_hashes, resolve
from proxar.errors import ProxarError, UsageError
from tests.unit.cli.objects import A, B, C, mcpserver


@pytest.mark.parametrize(
    ("typed", "hash_"),
    [
        ("pinned", C),
        ("baseline", A),
        ("previous", A),
        (B, B),
        ("b" * 64, B),
        ("cccccccc", C),
        ("sha256:cccccccccccc", C),
        ("sha256:" + "0" * 64, "sha256:" + "0" * 64),
    ],
)
def test_finds_the_list_that_was_named(typed: str, hash_: str) -> None:
    """A full hash counts even when the object does not speak of it: Git may carry its snapshot."""
    assert resolve(mcpserver(pinned=C), typed) == hash_


def test_previous_is_the_newest_other_list() -> None:
    """Also when the list that was last seen is in the history more than once."""
    server = mcpserver(
        snapshot={"hash": B}, history=[{"hash": B}, {"hash": B}, {"hash": C}, {"hash": A}]
    )

    assert resolve(server, "previous") == C


def test_pinned_without_a_pin_names_both_ways_out() -> None:
    """To pin, or to compare with something else."""
    with pytest.raises(UsageError, match="team/issues has no pin") as refused:
        resolve(mcpserver(), "pinned")

    assert "'proxar pin issues'" in refused.value.message
    assert "--against baseline" in refused.value.message


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("dddddddd", f"dddddddd: is no known hash of team/issues, which has {B}, {A}, {C}"),
        ("previous", "has reported one tool list only"),
    ],
)
def test_refuses_what_the_server_never_had(typed: str, said: str) -> None:
    """The message has every hash that could have been meant."""
    server = mcpserver(history=[{"hash": B}]) if typed == "previous" else mcpserver()

    with pytest.raises(UsageError) as refused:
        resolve(server, typed)

    assert said in refused.value.message


def test_refuses_an_ambiguous_prefix() -> None:
    """Rather than to take the first."""
    near = "sha256:" + "a" * 63 + "b"

    with pytest.raises(UsageError, match="is the beginning of several hashes"):
        resolve(mcpserver(snapshot={"hash": near}), "aaaaaaaa")


@pytest.mark.parametrize("typed", ["baseline", "previous"])
def test_nothing_seen_yet_is_not_a_usage_error(typed: str) -> None:
    """The command was right, it only came too early."""
    with pytest.raises(ProxarError) as early:
        resolve(mcpserver(snapshot=None, baseline=None, history=[]), typed)

    assert early.value.reason == "NotYetObserved"


def test_known_are_all_hashes_once_the_newest_first() -> None:
    """For messages."""
    assert known_hashes(mcpserver(pinned=C)) == (B, A, C)
