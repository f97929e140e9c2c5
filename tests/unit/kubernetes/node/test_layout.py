import json
import tomllib
from pathlib import Path
from typing import Any

from tests.kubernetes.binary import NODE_PARTS
from tests.kubernetes.node.layout import USERS, NodeLayout

LAYOUT = NodeLayout(Path("/run-folder"), 1, 2, 3, door=4, cgroup="proxar-node-x")


def written(name: str) -> Any:
    (text,) = (text for path, text in LAYOUT.files().items() if path.name == name)
    return tomllib.loads(text) if name.endswith(".toml") else json.loads(text)


def test_every_part_has_its_own_user() -> None:
    """The audit log can tell who did what."""
    names = [user.name for user in USERS.values()]

    assert set(NODE_PARTS) < set(USERS)
    assert len(set(names)) == len(names)


def test_the_parts_started_are_those_that_were_built() -> None:
    """No more and no less than what the binary has for a node."""
    assert set(LAYOUT.parts()) == set(NODE_PARTS)


def test_pods_stay_in_the_group_of_their_node() -> None:
    """Two nodes side by side would otherwise kill each other's pods."""
    assert written("kubelet.yaml")["cgroupRoot"] == "/proxar-node-x"


def test_every_file_is_in_the_run_folder() -> None:
    """What is written elsewhere is not cleared by the next start."""
    assert all(path.is_relative_to(LAYOUT.folder) for path in LAYOUT.files())
    assert written("containerd.toml")["root"] == "/run-folder/containerd"


def test_clients_outside_and_parts_inside_reach_the_same_server_in_their_own_way() -> None:
    """The loopback inside is not the loopback outside."""
    assert LAYOUT.url == "https://localhost:4"
    assert LAYOUT.url_for_parts == "https://10.250.0.1:3"
