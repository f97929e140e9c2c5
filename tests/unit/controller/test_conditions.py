"""How conditions are put together."""

from datetime import timedelta

from proxar.api import Condition, ConditionStatus, ConditionType
from proxar.controller.conditions import MESSAGE_CHARACTERS, Said, merged, ready
from proxar.controller.observation import Fault
from tests.unit.controller.world import BREAKING, DOWN, FIRST, NOON, World

LATER = NOON + timedelta(hours=1)


def said(status: ConditionStatus, message: str = "", reason: str = "Reason") -> Said:
    """What is to be said of Reachable."""
    return Said(ConditionType.REACHABLE, status, reason, message)


def before(status: ConditionStatus, message: str = "", reason: str = "Reason") -> Condition:
    """What was said of it at noon."""
    (made,) = merged([said(status, message, reason)], (), generation=1, now=NOON)
    return made


def again(old: Condition, new: Said, *, generation: int = 1, same_fault: bool = False) -> Condition:
    """What is said of it an hour later."""
    (made,) = merged([new], [old], generation=generation, now=LATER, same_fault=same_fault)
    return made


def test_the_time_moves_with_the_status_only() -> None:
    """Not with reason, message or generation."""
    old = before(ConditionStatus.FALSE)

    kept = again(old, said(ConditionStatus.FALSE, "new", "Other"), generation=2)
    flipped = again(old, said(ConditionStatus.TRUE))

    assert kept.last_transition_time == NOON
    assert (kept.reason, kept.message, kept.observed_generation) == ("Other", "new", 2)
    assert flipped.last_transition_time == LATER


def test_words_of_the_same_fault_stay() -> None:
    """Until the reason or the generation is another."""
    old = before(ConditionStatus.FALSE, "first words")
    new = said(ConditionStatus.FALSE, "other words")
    renamed = said(ConditionStatus.FALSE, "other words", "Other")

    assert again(old, new, same_fault=True).message == "first words"
    assert again(old, new).message == "other words"
    assert again(old, new, same_fault=True, generation=2).message == "other words"
    assert again(old, renamed, same_fault=True).message == "other words"


def test_words_of_a_success_are_always_new() -> None:
    """They are our own."""
    old = before(ConditionStatus.TRUE, "first words")

    new = again(old, said(ConditionStatus.TRUE, "other words"), same_fault=True)

    assert new.message == "other words"


def test_messages_are_clean_and_bounded() -> None:
    """A fault may carry what a server said."""
    message = before(ConditionStatus.FALSE, "\ud800\x00" + "x" * 9999).message

    assert len(message) == MESSAGE_CHARACTERS
    assert message.startswith("\\ud800\\u0000x")


def test_ready_tells_of_drift_and_of_a_fault_in_one_line() -> None:
    """It is the one that `kubectl get -o wide` shows."""
    world = World.new()
    world.look(FIRST)
    world.look(BREAKING)
    world.look(DOWN)

    condition = world.status.condition("Ready")

    assert condition is not None
    assert condition.message == (
        "tracking 1 tool; drift: 1 breaking, 0 advisory, 0 compatible of the last good list; "
        "the server cannot be read now (ConnectFailed)"
    )


def test_ready_counts_tools_in_good_english() -> None:
    """None, one, two."""
    counted = [ready(tool_count=n, fault=None, store_error=None).message for n in (0, 1, 2)]

    assert counted == ["tracking 0 tools", "tracking 1 tool", "tracking 2 tools"]


def test_conditions_keep_their_order() -> None:
    """So that a diff of two statuses shows what changed."""
    world = World.new(pinnedHash=FIRST.hash)
    world.look(Fault("Unauthorized", "401"))
    world.look(FIRST)
    world.look(Fault("Unauthorized", "401"))

    types = [condition.type for condition in world.status.conditions]

    assert types == ["Ready", "Reachable", "SchemaCompatible", "PinMatched", "Stalled"]


def test_breaking_drift_is_told_with_its_first_paths() -> None:
    """And against what."""
    world = World.new()
    world.look(FIRST)
    world.look(BREAKING)

    condition = world.status.condition("SchemaCompatible")

    assert condition is not None
    assert condition.message.startswith(f"against the baseline {FIRST.hash}: 1 breaking")
    assert "search_issues.inputSchema.required: " in condition.message
