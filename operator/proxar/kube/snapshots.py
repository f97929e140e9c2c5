"""Snapshots: tool lists kept as immutable, content-addressed ConfigMaps.

The name holds the first half of the hash, so writing is idempotent and a list that comes back finds
its old object. Names can be made to collide and ConfigMaps can be edited by whoever has the right,
so the full hash is computed again on every read.

A list too large for one ConfigMap (1 MiB) is split: the first part names the rest and is written
last, so that whoever finds the first finds them all.
"""

import asyncio
import base64
import binascii
import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from proxar.api import API_VERSION, KIND, LABEL_HASH, LABEL_ROLE, LABEL_SERVER
from proxar.contract import ToolList, parse
from proxar.errors import Conflict, KubernetesError, SnapshotError
from proxar.kube.client import METADATA_ONLY, KubeClient, is_refusal, path_of
from proxar.kube.mcpservers import pages
from proxar.kube.text import clean

__all__ = ["Owner", "SnapshotStore", "manifests", "snapshot_name"]

HASH_ANNOTATION = "proxar.dev/hash"
"""Carries the whole hash; a label value has room for 63 characters only."""

SNAPSHOT_ROLE = "snapshot"
MANAGED_BY = {"app.kubernetes.io/managed-by": "proxar"}

HASH_FORM = "v1"
TOOLS_KEY = "tools.json.gz"
SUMMARY_KEY = "summary.json"

PART_BYTES = 900_000
"""Of gzip in one ConfigMap. The API server counts 1,048,576 over all keys; the summary and some
slack fit beside it."""

INFLATED_BYTES = 64 << 20
"""A stored list is never inflated beyond this: four times what the fetcher takes in."""

SMALL_PACKED = 32 << 10
SMALL_UNPACKED = 256 << 10
"""Bytes that are packed and unpacked in the event loop; more of them take 20 ms or longer."""

SUMMARY_NAMES = 200
"""Tool names in the readable summary; the rest is only counted."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Owner:
    """The MCPServer that a snapshot lives and dies with."""

    namespace: str
    name: str
    uid: str

    def reference(self) -> dict[str, Any]:
        """The ownerReference. `blockOwnerDeletion` would need a right that nobody should have to
        grant."""
        return {
            "apiVersion": API_VERSION,
            "kind": KIND,
            "name": self.name,
            "uid": self.uid,
            "controller": True,
            "blockOwnerDeletion": False,
        }


def snapshot_name(server: str, hash_: str) -> str:
    """The name of the ConfigMap that holds (the first part of) a tool list."""
    return f"{server}-tools-{_digits(hash_)}"


def _digits(hash_: str) -> str:
    return hash_.removeprefix("sha256:")[:32]


def manifests(
    namespace: str,
    server: str,
    tools: ToolList,
    *,
    protocol_version: str | None = None,
    server_info: Mapping[str, str] | None = None,
    owner: Owner | None = None,
) -> list[dict[str, Any]]:
    """The ConfigMaps of a snapshot, in the order in which they must be written.

    The same list gives the same bytes wherever it is made. Without an owner they are for Git to
    carry.
    """
    packed = gzip.compress(tools.canonical(), compresslevel=9, mtime=0)
    parts = [packed[start : start + PART_BYTES] for start in range(0, len(packed), PART_BYTES)]
    name = snapshot_name(server, tools.hash)
    # The digest keeps parts apart that another zlib compressed differently.
    rest = [
        (f"{name}-{number}-{hashlib.sha256(part).hexdigest()[:8]}", part)
        for number, part in enumerate(parts[1:], 2)
    ]
    summary = {
        "hash": tools.hash,
        "form": HASH_FORM,
        "toolCount": len(tools.tools),
        "tools": [clean(tool.name, characters=128) for tool in tools.tools[:SUMMARY_NAMES]],
        "protocolVersion": clean(protocol_version or "", characters=32),
        "serverInfo": {
            key: clean(value, characters=256) for key, value in sorted((server_info or {}).items())
        },
        "parts": [part_name for part_name, _ in rest],
    }

    def config_map(part_name: str, part: bytes, data: dict[str, str]) -> dict[str, Any]:
        metadata: dict[str, Any] = {
            "name": part_name,
            "namespace": namespace,
            "labels": MANAGED_BY
            | {LABEL_SERVER: server, LABEL_ROLE: SNAPSHOT_ROLE, LABEL_HASH: _digits(tools.hash)},
            "annotations": {HASH_ANNOTATION: tools.hash},
        }
        if owner is not None:
            metadata["ownerReferences"] = [owner.reference()]
        return {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": metadata,
            "immutable": True,
            "data": data,
            "binaryData": {TOOLS_KEY: base64.b64encode(part).decode()},
        }

    first = config_map(
        name, parts[0], {SUMMARY_KEY: json.dumps(summary, indent=2, ensure_ascii=False) + "\n"}
    )
    return [config_map(part_name, part, {}) for part_name, part in rest] + [first]


class SnapshotStore:
    """Reads, writes and prunes the snapshots of any server that the client may see."""

    def __init__(self, client: KubeClient) -> None:
        self._client = client

    async def read(
        self, namespace: str, server: str, hash_: str, *, at_hand: ToolList | None = None
    ) -> ToolList | None:
        """Return the stored tool list of that hash, or `None` when there is none.

        Who owns the ConfigMap does not matter: what it holds is proved by the hash, so Git may
        carry one to a fresh cluster.

        Args:
            at_hand: A list of that hash. Where the stored text is the very same it stands for what
                would be read of it, which takes much longer than to compare the two.

        Raises:
            SnapshotError: `SnapshotCorrupt`: an object of that name is there, but not what its hash
                says.
            KubernetesError: Could not look, which is not the same as missing.
        """
        first = await self._config_map(namespace, snapshot_name(server, hash_))
        if first is None:
            return None
        try:
            packed = [_packed(first)]
            summary = json.loads((first.get("data") or {})[SUMMARY_KEY])
            for name in _parts(summary["parts"], first["metadata"]["name"]):
                part = await self._config_map(namespace, name)
                if part is None:
                    raise SnapshotError(
                        "SnapshotCorrupt",
                        f"ConfigMap {namespace}/{name} is missing; it is a part of {hash_}",
                    )
                packed.append(_packed(part))
            is_large = sum(map(len, packed)) > SMALL_PACKED
            tools = await _apart(is_large, _unpacked, b"".join(packed), at_hand)
            version = str(summary.get("protocolVersion") or "") or None
        except (KeyError, TypeError, ValueError, RecursionError, zlib.error) as error:
            raise _corrupt(
                namespace, server, hash_, f"cannot be read ({type(error).__name__})"
            ) from error
        if tools.hash != hash_:
            raise _corrupt(namespace, server, hash_, f"holds {tools.hash}")
        # Not proved by the hash, and needed only to tell a field that a later version dropped.
        return (
            tools if tools.protocol_version == version else replace(tools, protocol_version=version)
        )

    async def write(
        self,
        owner: Owner,
        tools: ToolList,
        *,
        protocol_version: str | None = None,
        server_info: Mapping[str, str] | None = None,
    ) -> str:
        """Store a tool list for its owner and return the ConfigMap's name; writing it twice changes
        nothing.

        Raises:
            SnapshotError: `SnapshotNotStored`: the name is taken by another's object, or the API
                server refuses it (quota, policy, RBAC), which a person has to mend.
            KubernetesError: Not now.
        """
        make = partial(
            manifests,
            owner.namespace,
            owner.name,
            tools,
            protocol_version=protocol_version,
            server_info=server_info,
            owner=owner,
        )
        size = sum(len(tool.canonical) for tool in tools.tools)
        wanted = await _apart(size > SMALL_UNPACKED, make)
        for manifest in wanted:
            await self._create(owner, tools.hash, manifest)
        return str(wanted[-1]["metadata"]["name"])

    async def prune(self, owner: Owner, keep: Iterable[str]) -> int:
        """Delete the owner's snapshots whose hash is not among `keep`; return how many objects
        went."""
        kept = {snapshot_name(owner.name, hash_) for hash_ in keep}
        selector = f"{LABEL_SERVER}={owner.name},{LABEL_ROLE}={SNAPSHOT_ROLE}"
        found = [
            item
            async for item in pages(
                self._client,
                path_of("v1", "configmaps", owner.namespace),
                selector,
                accept=METADATA_ONLY,
            )
        ]
        # By name: labels and annotations can be edited, also those of an immutable ConfigMap.
        doomed = [
            item
            for item in found
            if _owner_uid(item) == owner.uid
            and item["metadata"]["name"].startswith(f"{owner.name}-tools-")
            and not _is_part_of(item["metadata"]["name"], kept)
        ]
        for item in doomed:
            await self._delete(item)
        return len(doomed)

    async def _config_map(self, namespace: str, name: str) -> dict[str, Any] | None:
        return await self._client.get(path_of("v1", "configmaps", namespace, name))

    async def _create(self, owner: Owner, hash_: str, manifest: dict[str, Any]) -> None:
        path = path_of("v1", "configmaps", owner.namespace)
        # A second try after clearing away what a predecessor of the same name left; a third would
        # be a fight.
        for _ in range(2):
            try:
                await self._client.request("POST", path, body=manifest)
                return
            except Conflict:
                there = await self._config_map(owner.namespace, manifest["metadata"]["name"])
            except KubernetesError as error:
                if is_refusal(error):
                    raise SnapshotError("SnapshotNotStored", error.message) from error
                raise
            if there is None:
                continue
            stands = there.get("binaryData") == manifest["binaryData"] or await self._holds(
                owner, hash_
            )
            if stands and (_owner_uid(there) == owner.uid or not _is_snapshot_of(there, owner)):
                return
            if not _is_snapshot_of(there, owner):
                break
            await self._delete(there)
        raise SnapshotError(
            "SnapshotNotStored",
            f"ConfigMap {owner.namespace}/{manifest['metadata']['name']} belongs to somebody else "
            f"and does not hold {hash_}; rename or delete it",
        )

    async def _holds(self, owner: Owner, hash_: str) -> bool:
        try:
            return await self.read(owner.namespace, owner.name, hash_) is not None
        except SnapshotError:
            return False

    async def _delete(self, item: Mapping[str, Any]) -> None:
        metadata = item["metadata"]
        path = path_of("v1", "configmaps", metadata["namespace"], metadata["name"])
        try:
            await self._client.request(
                "DELETE", path, body={"preconditions": {"uid": metadata["uid"]}}
            )
        except KubernetesError as error:
            if error.status not in (404, 409):
                raise


def _packed(config_map: Mapping[str, Any]) -> bytes:
    return base64.b64decode(config_map["binaryData"][TOOLS_KEY], validate=True)


async def _apart(is_large: bool, function: Callable[..., Result], *arguments: object) -> Result:
    """Call a function, in a thread if the event loop would stand still for too long."""
    if is_large:
        return await asyncio.to_thread(function, *arguments)
    return function(*arguments)


def _unpacked(packed: bytes, at_hand: ToolList | None) -> ToolList:
    text = _inflate(packed)
    return at_hand if at_hand is not None and text == at_hand.canonical() else parse(text)


def _inflate(packed: bytes) -> bytes:
    inflater = zlib.decompressobj(wbits=31)  # 31: gzip with the largest window
    data = inflater.decompress(packed, INFLATED_BYTES)
    if not inflater.eof:
        raise binascii.Error("truncated, or larger than any list that Proxar stores")
    return data


def _corrupt(namespace: str, server: str, hash_: str, what: str) -> SnapshotError:
    name = snapshot_name(server, hash_)
    return SnapshotError(
        "SnapshotCorrupt",
        f"ConfigMap {namespace}/{name} {what}, not {hash_}; delete it and store the list again",
    )


def _owner_uid(item: Mapping[str, Any]) -> str | None:
    references = item["metadata"].get("ownerReferences") or ()
    return next(
        (reference["uid"] for reference in references if reference.get("kind") == KIND), None
    )


def _parts(names: Any, first: str) -> list[str]:
    """The names of the further parts, as far as we can have written them."""
    listed = [str(name) for name in names]
    if len(listed) > INFLATED_BYTES // PART_BYTES or not all(
        name.startswith(f"{first}-") for name in listed
    ):
        raise ValueError("names parts that no snapshot has")
    return listed


def _is_part_of(name: str, snapshots: set[str]) -> bool:
    """Whether a ConfigMap is one of these snapshots, or a further part of one."""
    # The name of a server may have dashes, the hash in the name of a snapshot has none.
    return name in snapshots or name.rsplit("-", 2)[0] in snapshots


def _is_snapshot_of(item: Mapping[str, Any], owner: Owner) -> bool:
    """Whether we, or a deleted MCPServer of the same name whose garbage is not collected yet, wrote
    it."""
    labels = item["metadata"].get("labels") or {}
    references = item["metadata"].get("ownerReferences") or ()
    return (
        labels.get(LABEL_SERVER) == owner.name
        and labels.get(LABEL_ROLE) == SNAPSHOT_ROLE
        and any(
            reference.get("kind") == KIND
            and reference.get("apiVersion") == API_VERSION
            and reference.get("name") == owner.name
            for reference in references
        )
    )
