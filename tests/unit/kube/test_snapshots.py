"""Snapshots as ConfigMaps."""

import base64
import gzip
import json
import random
import re
from typing import Any

import pytest

from proxar.api import LABEL_HASH, LABEL_ROLE, LABEL_SERVER
from proxar.contract import ToolList
from proxar.errors import Conflict, KubernetesError, SnapshotError
from proxar.kube import snapshots
from proxar.kube.snapshots import (
    PART_BYTES,
    TOOLS_KEY,
    Owner,
    SnapshotStore,
    manifests,
    snapshot_name,
)
from tests.support.fakecluster import FakeCluster
from tests.support.toolserver import tool

OWNER = Owner("team", "issues-mcp", "6c1f")
TOOLS = ToolList.of([tool("search_issues", ("query",), query="string")])
OTHER = ToolList.of([tool("close_issue", ("number",), number="integer")])
CONFIG_MAPS = "/api/v1/namespaces/team/configmaps"


@pytest.fixture(scope="module")
def large() -> ToolList:
    """A list that no compression brings into one ConfigMap."""
    noise = random.Random(3)
    return ToolList.of([tool(f"tool_{n}", (), noise.randbytes(300_000).hex()) for n in range(7)])


@pytest.fixture
def cluster() -> FakeCluster:
    """An empty API server."""
    return FakeCluster()


@pytest.fixture
def store(cluster: FakeCluster) -> SnapshotStore:
    """The store in it."""
    return SnapshotStore(cluster)


def stored(cluster: FakeCluster, tools: ToolList = TOOLS) -> dict[str, Any]:
    """The (first) ConfigMap of a list as the cluster has it."""
    return cluster.objects[f"{CONFIG_MAPS}/{snapshot_name(OWNER.name, tools.hash)}"]


def packed(data: bytes) -> dict[str, str]:
    """The binaryData of a ConfigMap that holds this."""
    return {TOOLS_KEY: base64.b64encode(data).decode()}


# The objects.


def test_the_same_list_gives_the_same_bytes() -> None:
    """Wherever and whenever it is made, in whatever order the server listed it."""
    tools = [tool("a", a="string"), tool("b", b="string")]

    one, other = (
        manifests("team", "issues-mcp", ToolList.of(order)) for order in (tools, tools[::-1])
    )

    assert one[0]["binaryData"] == other[0]["binaryData"]
    assert manifests("team", "issues-mcp", TOOLS) == manifests("team", "issues-mcp", TOOLS)


def test_one_list_is_one_config_map() -> None:
    """Immutable, labelled, with a readable summary beside the list itself."""
    (made,) = manifests("team", "issues-mcp", TOOLS, protocol_version="2026-07-28", owner=OWNER)

    assert made["immutable"] is True
    assert made["metadata"]["name"] == f"issues-mcp-tools-{TOOLS.hash[7:39]}"
    assert made["metadata"]["ownerReferences"] == [OWNER.reference()]
    summary = json.loads(made["data"]["summary.json"])
    assert (summary["hash"], summary["toolCount"]) == (TOOLS.hash, 1)
    assert summary["tools"] == ["search_issues"]
    assert gzip.decompress(base64.b64decode(made["binaryData"][TOOLS_KEY])) == TOOLS.canonical()


def test_one_for_git_has_no_owner() -> None:
    """Nothing of a cluster is in it."""
    (made,) = manifests("team", "issues-mcp", TOOLS)

    assert "ownerReferences" not in made["metadata"]


def test_a_large_list_is_split(large: ToolList) -> None:
    """No ConfigMap is over the limit of the API server; the first, written last, names the rest."""
    made = manifests("team", "issues-mcp", large)

    assert len(made) > 2
    assert all(len(str(item)) < 1_048_576 * 4 / 3 for item in made)
    assert all(len(base64.b64decode(item["binaryData"][TOOLS_KEY])) <= PART_BYTES for item in made)
    names = [item["metadata"]["name"] for item in made]
    assert names[-1] == snapshot_name("issues-mcp", large.hash)
    assert json.loads(made[-1]["data"]["summary.json"])["parts"] == names[:-1]


def test_names_and_labels_are_valid_for_the_longest_server_name(large: ToolList) -> None:
    """52 characters, in parts."""
    for made in manifests("team", "n" * 52, large):
        metadata = made["metadata"]
        assert len(metadata["name"]) <= 253
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", metadata["name"])
        assert {LABEL_SERVER, LABEL_ROLE, LABEL_HASH} < metadata["labels"].keys()
        assert all(
            len(value) <= 63 and re.fullmatch(r"[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?", value)
            for value in metadata["labels"].values()
        )


def test_a_hostile_server_writes_nothing_strange() -> None:
    """The summary is for eyes: cut, cleaned, and not as long as the list."""
    tools = ToolList.of([tool(f"\x1b\ud800{'x' * 500}{number}") for number in range(300)])
    info = {"name": "\u202e", "version": "9" * 5000}

    (made,) = manifests("team", "issues-mcp", tools, server_info=info, protocol_version="v" * 99)

    summary = json.loads(made["data"]["summary.json"])
    assert summary["toolCount"] == 300
    assert len(summary["tools"]) == 200
    assert all(len(name) <= 128 and name.isprintable() for name in summary["tools"])
    assert summary["serverInfo"]["name"] == "\\u202e"
    assert len(summary["serverInfo"]["version"]) == 256


# Writing and reading back.


@pytest.mark.parametrize("size", ["small", "large"])
async def test_what_was_written_is_read(store: SnapshotStore, large: ToolList, size: str) -> None:
    """Of whatever size, with the protocol version that it was read in."""
    tools = large if size == "large" else TOOLS
    name = await store.write(OWNER, tools, protocol_version="2026-07-28")

    read = await store.read("team", "issues-mcp", tools.hash)

    assert name == snapshot_name("issues-mcp", tools.hash)
    assert read is not None
    assert (read.hash, read.protocol_version) == (tools.hash, "2026-07-28")
    assert read.canonical() == tools.canonical()


async def test_a_list_at_hand_stands_for_its_stored_text(
    store: SnapshotStore, cluster: FakeCluster
) -> None:
    """It is the very same; what differs is read, and found out."""
    await store.write(OWNER, TOOLS)

    read = await store.read("team", "issues-mcp", TOOLS.hash, at_hand=TOOLS)

    assert read is not None
    assert read.tools is TOOLS.tools

    stored(cluster)["binaryData"] = packed(gzip.compress(OTHER.canonical()))
    with pytest.raises(SnapshotError, match="holds"):
        await store.read("team", "issues-mcp", TOOLS.hash, at_hand=TOOLS)


async def test_what_was_not_written_is_missing(store: SnapshotStore) -> None:
    """Which is an answer, not an error."""
    assert await store.read("team", "issues-mcp", TOOLS.hash) is None


async def test_writing_twice_changes_nothing(cluster: FakeCluster, store: SnapshotStore) -> None:
    """The second POST answers 409, and what is there is what it should be."""
    await store.write(OWNER, TOOLS)
    before = stored(cluster)["metadata"]["resourceVersion"]

    await store.write(OWNER, TOOLS)

    assert stored(cluster)["metadata"]["resourceVersion"] == before


async def test_one_that_git_carries_is_left_as_it_is(
    cluster: FakeCluster, store: SnapshotStore
) -> None:
    """It holds the list, whoever wrote it."""
    (manifest,) = manifests("team", "issues-mcp", TOOLS)
    cluster.put(f"{CONFIG_MAPS}/{manifest['metadata']['name']}", manifest)

    await store.write(OWNER, TOOLS)

    assert "ownerReferences" not in stored(cluster)["metadata"]


async def test_a_colliding_object_of_somebody_else_is_not_touched(
    cluster: FakeCluster, store: SnapshotStore
) -> None:
    """Names hold half of a hash only; whoever makes one collide gets a refusal, not a deletion."""
    name = snapshot_name("issues-mcp", TOOLS.hash)
    mine = {"metadata": {"name": name, "namespace": "team"}, "data": {"mine": "yes"}}
    cluster.put(f"{CONFIG_MAPS}/{name}", mine)

    with pytest.raises(SnapshotError) as caught:
        await store.write(OWNER, TOOLS)

    assert caught.value.reason == "SnapshotNotStored"
    assert name in caught.value.message
    assert stored(cluster)["data"] == {"mine": "yes"}


async def test_what_a_deleted_server_of_the_same_name_left_is_replaced(
    cluster: FakeCluster, store: SnapshotStore
) -> None:
    """The garbage collector is about to take it, whatever it holds."""
    await store.write(Owner("team", "issues-mcp", "gone"), TOOLS)

    await store.write(OWNER, TOOLS)

    assert stored(cluster)["metadata"]["ownerReferences"][0]["uid"] == OWNER.uid


async def test_a_damaged_one_of_our_own_is_replaced(
    cluster: FakeCluster, store: SnapshotStore
) -> None:
    """Immutable ConfigMaps cannot be mended, only made again."""
    await store.write(OWNER, TOOLS)
    stored(cluster)["binaryData"] = packed(b"damaged")

    await store.write(OWNER, TOOLS)

    assert await store.read("team", "issues-mcp", TOOLS.hash) is not None


async def test_one_that_vanishes_between_two_requests_is_written(
    cluster: FakeCluster, store: SnapshotStore
) -> None:
    """409, then 404: the garbage collector was faster."""
    await store.write(OWNER, TOOLS)
    name = snapshot_name("issues-mcp", TOOLS.hash)
    cluster.on("GET", name, cluster.objects.clear)

    await store.write(OWNER, TOOLS)

    assert await store.read("team", "issues-mcp", TOOLS.hash) is not None


@pytest.mark.parametrize("status", [403, 413, 422])
async def test_a_refusal_is_for_a_person(
    cluster: FakeCluster, store: SnapshotStore, status: int
) -> None:
    """A quota or a policy: said on the object, not only retried in the log."""
    cluster.refuse(
        "POST", "configmaps", KubernetesError("Forbidden", "exceeded quota", status=status)
    )

    with pytest.raises(SnapshotError) as caught:
        await store.write(OWNER, TOOLS)

    assert (caught.value.reason, caught.value.message) == ("SnapshotNotStored", "exceeded quota")


@pytest.mark.parametrize(
    "error",
    [
        KubernetesError("InternalError", "etcd is away", status=500),
        KubernetesError(
            "Forbidden", "no new content in team because it is being terminated", status=403
        ),
    ],
    ids=["500", "terminating"],
)
async def test_what_passes_is_no_refusal(
    cluster: FakeCluster, store: SnapshotStore, error: KubernetesError
) -> None:
    """Nobody has to mend anything."""
    cluster.refuse("POST", "configmaps", error)

    with pytest.raises(KubernetesError):
        await store.write(OWNER, TOOLS)


# What is not what it says.


def _tamper(config_map: dict[str, Any]) -> None:
    config_map["binaryData"] = packed(gzip.compress(OTHER.canonical()))


def _truncate(config_map: dict[str, Any]) -> None:
    config_map["binaryData"] = packed(base64.b64decode(config_map["binaryData"][TOOLS_KEY])[:-9])


def _plain(config_map: dict[str, Any]) -> None:
    config_map["binaryData"] = packed(TOOLS.canonical())


def _no_base64(config_map: dict[str, Any]) -> None:
    config_map["binaryData"] = {TOOLS_KEY: "%%%"}


def _empty(config_map: dict[str, Any]) -> None:
    del config_map["binaryData"]


def _no_summary(config_map: dict[str, Any]) -> None:
    del config_map["data"]


def _deep_summary(config_map: dict[str, Any]) -> None:
    config_map["data"] = {"summary.json": "[" * 200_000}


def _no_tools(config_map: dict[str, Any]) -> None:
    config_map["binaryData"] = packed(gzip.compress(b'{"hello": 1}'))


def _missing_part(config_map: dict[str, Any]) -> None:
    parts = [f"{config_map['metadata']['name']}-2-00000000"]
    config_map["data"] = {"summary.json": json.dumps({"parts": parts})}


def _foreign_parts(config_map: dict[str, Any]) -> None:
    config_map["data"] = {"summary.json": json.dumps({"parts": ["kube-root-ca.crt"]})}


def _too_many_parts(config_map: dict[str, Any]) -> None:
    parts = [f"{config_map['metadata']['name']}-2-00000000"] * 10_000
    config_map["data"] = {"summary.json": json.dumps({"parts": parts})}


@pytest.mark.parametrize(
    "damage",
    [
        _tamper,
        _truncate,
        _plain,
        _no_base64,
        _empty,
        _no_summary,
        _deep_summary,
        _no_tools,
        _missing_part,
        _foreign_parts,
        _too_many_parts,
    ],
)
async def test_what_is_not_what_its_hash_says_is_corrupt(
    cluster: FakeCluster, store: SnapshotStore, damage: Any
) -> None:
    """Never believed, never an unforeseen error, and found out with a request or two."""
    await store.write(OWNER, TOOLS)
    damage(stored(cluster))
    cluster.calls.clear()

    with pytest.raises(SnapshotError) as caught:
        await store.read("team", "issues-mcp", TOOLS.hash)

    assert caught.value.reason == "SnapshotCorrupt"
    assert len(cluster.calls) <= 2


async def test_a_bomb_is_not_inflated(
    cluster: FakeCluster, store: SnapshotStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kilobyte of gzip may hold a gigabyte of zeros."""
    monkeypatch.setattr(snapshots, "INFLATED_BYTES", 1 << 16)
    await store.write(OWNER, TOOLS)
    stored(cluster)["binaryData"] = packed(gzip.compress(b"[" + b" " * (1 << 20) + b"]"))

    with pytest.raises(SnapshotError) as caught:
        await store.read("team", "issues-mcp", TOOLS.hash)

    assert caught.value.reason == "SnapshotCorrupt"


async def test_not_reached_is_not_missing(cluster: FakeCluster, store: SnapshotStore) -> None:
    """A failed read proves nothing about what is stored."""
    cluster.refuse("GET", "configmaps", KubernetesError("Timeout", "no answer"))

    with pytest.raises(KubernetesError):
        await store.read("team", "issues-mcp", TOOLS.hash)


# Pruning.


async def test_pruning_keeps_what_it_must(
    cluster: FakeCluster, store: SnapshotStore, large: ToolList
) -> None:
    """Every part of what is kept stays, every part of the rest goes."""
    await store.write(OWNER, TOOLS)
    await store.write(OWNER, large)
    await store.write(OWNER, OTHER)

    went = await store.prune(OWNER, [large.hash])

    assert went == 2
    assert await store.read("team", "issues-mcp", large.hash) is not None
    assert await store.read("team", "issues-mcp", TOOLS.hash) is None
    went = await store.prune(OWNER, [])
    assert went > 2
    assert cluster.of("configmaps") == []


async def test_pruning_touches_nobody_elses(cluster: FakeCluster, store: SnapshotStore) -> None:
    """Nor what Git carries, nor what has our labels only."""
    await store.write(Owner("team", "weather", "77aa"), TOOLS)
    await store.write(Owner("team", "issues-mcp", "gone"), OTHER)
    (manifest,) = manifests("team", "issues-mcp", TOOLS)
    cluster.put(f"{CONFIG_MAPS}/{manifest['metadata']['name']}", manifest)
    notes = {"metadata": manifest["metadata"] | {"name": "notes"}}
    notes["metadata"]["ownerReferences"] = [OWNER.reference()]
    cluster.put(f"{CONFIG_MAPS}/notes", notes)

    assert await store.prune(OWNER, []) == 0


async def test_an_edited_annotation_costs_no_snapshot(
    cluster: FakeCluster, store: SnapshotStore
) -> None:
    """Metadata of an immutable ConfigMap can be edited; its name cannot."""
    await store.write(OWNER, TOOLS)
    stored(cluster)["metadata"]["annotations"] = {}

    assert await store.prune(OWNER, [TOOLS.hash]) == 0


async def test_one_that_went_or_was_made_again_meanwhile_is_left(
    cluster: FakeCluster, store: SnapshotStore
) -> None:
    """Deleted by the uid that was listed, and not twice."""
    await store.write(OWNER, TOOLS)
    await store.write(OWNER, OTHER)
    cluster.refuse("DELETE", "configmaps", KubernetesError("NotFound", "404", status=404))
    cluster.refuse("DELETE", "configmaps", Conflict("Conflict", "409", status=409))

    assert await store.prune(OWNER, []) == 2
