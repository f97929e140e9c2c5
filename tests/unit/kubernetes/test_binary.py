import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.kubernetes.binary import (
    ASSETS_VARIABLE,
    PARTS,
    Assets,
    Program,
    find_assets,
    helm_program,
    key_of,
    kubernetes_program,
    locked_version,
)
from tests.kubernetes.errors import ClusterError


@pytest.fixture
def program(tmp_path: Path) -> Program:
    for name in ("go.mod", "go.sum", "main.go"):
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")
    return Program(name="tool", module=tmp_path, package=".", duration="no time")


def executables(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).touch(mode=0o755)
    return folder


@pytest.mark.parametrize("name", ["go.mod", "go.sum", "main.go", "node.go"])
def test_a_changed_source_means_another_build(program: Program, name: str) -> None:
    before = key_of(program)

    (program.module / name).write_text("changed\n", encoding="utf-8")

    assert key_of(program) != before


def test_what_is_no_source_does_not_mean_another_build(program: Program) -> None:
    before = key_of(program)

    (program.module / "part.py").write_text("changed\n", encoding="utf-8")

    assert key_of(program) == before


def test_text_that_moves_to_another_file_means_another_build(program: Program) -> None:
    (program.module / "a.go").write_text("xy", encoding="utf-8")
    (program.module / "b.go").write_text("z", encoding="utf-8")
    before = key_of(program)

    (program.module / "a.go").write_text("x", encoding="utf-8")
    (program.module / "b.go").write_text("yz", encoding="utf-8")

    assert key_of(program) != before


def test_tags_and_linked_versions_mean_another_build(program: Program) -> None:
    builds = [
        program,
        replace(program, tags=("node",)),
        replace(program, variables={"main.version": "v1"}),
        replace(program, variables={"main.version": "v2"}),
    ]

    assert len({key_of(build) for build in builds}) == len(builds)


def test_the_version_is_the_locked_one() -> None:
    kubernetes, helm = kubernetes_program(), helm_program()

    version = locked_version(kubernetes.module, "k8s.io/kubernetes")
    assert kubernetes.variables["k8s.io/component-base/version.gitVersion"] == version
    assert f"v{kubernetes.variables['k8s.io/component-base/version.gitMajor']}." in version
    assert locked_version(helm.module, "helm.sh/helm/v4") in helm.variables.values()


def test_every_staging_module_is_of_the_same_release() -> None:
    """A forgotten ``replace`` after an update would mix two releases of Kubernetes."""
    module = kubernetes_program().module
    release = locked_version(module, "k8s.io/kubernetes").split(".", 1)[1]

    lines = (module / "go.mod").read_text(encoding="utf-8").splitlines()
    replaced = [line.split()[-1] for line in lines if "=>" in line]

    assert replaced
    assert set(replaced) == {f"v0.{release}"}


def test_nothing_locked_names_a_host_to_download_from() -> None:
    for program in (kubernetes_program(), helm_program()):
        for name in ("go.mod", "go.sum"):
            assert "://" not in (program.module / name).read_text(encoding="utf-8")


def test_a_dependency_that_is_not_required_is_named(program: Program) -> None:
    with pytest.raises(ClusterError, match=r"go\.mod does not require example\.com/x"):
        locked_version(program.module, "example.com/x")


def test_named_assets_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ASSETS_VARIABLE, str(executables(tmp_path, *PARTS)))

    assets = find_assets()

    assert assets.command("etcd", "--version") == [str(tmp_path / "etcd"), "--version"]


def test_a_missing_asset_is_named_with_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Archives made for envtest have no controller manager."""
    executables(tmp_path, "etcd", "kube-apiserver", "kubectl")
    monkeypatch.setenv(ASSETS_VARIABLE, str(tmp_path))

    with pytest.raises(ClusterError) as caught:
        find_assets()

    message = str(caught.value)
    assert f"{ASSETS_VARIABLE}={tmp_path}" in message
    assert os.fspath(tmp_path / "kube-controller-manager") in message
    assert f"unset {ASSETS_VARIABLE}" in message


def test_our_binary_takes_the_part_as_first_argument() -> None:
    assets = Assets.of_binary(Path("/cache/kubernetes"))

    assert assets.command("kubectl", "get", "pods") == [
        "/cache/kubernetes",
        "kubectl",
        "get",
        "pods",
    ]
