"""The programs of a cluster: built from source on first use, or those the user names."""

import hashlib
import os
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.kubernetes import cache, progress
from tests.kubernetes.errors import ClusterError
from tests.kubernetes.toolchain import find_go

__all__ = [
    "ASSETS_VARIABLE",
    "NODE_PARTS",
    "PARTS",
    "Assets",
    "Program",
    "build",
    "find_assets",
    "helm_program",
    "key_of",
    "kubernetes_program",
    "locked_version",
    "static_program",
]

ASSETS_VARIABLE = "KUBEBUILDER_ASSETS"
"""The convention of envtest: a folder with one executable for each part."""

PARTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl")
"""What a control plane consists of, and how to speak to it."""

NODE_PARTS = ("kube-scheduler", "kube-proxy", "coredns", "kubelet")
"""What a node needs beside."""

MODULE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Assets:
    """How each part is started."""

    commands: Mapping[str, tuple[str, ...]]

    @classmethod
    def of_binary(cls, binary: Path, parts: Iterable[str] = PARTS) -> "Assets":
        """Return the parts of our own binary, which takes the part's name as first argument."""
        return cls({part: (str(binary), part) for part in parts})

    @classmethod
    def of_folder(cls, folder: Path) -> "Assets":
        """Return the parts found in a folder of executables.

        Raises:
            ClusterError: One is missing.
        """
        for part in PARTS:
            if not os.access(folder / part, os.X_OK):
                raise ClusterError(
                    f"{ASSETS_VARIABLE}={folder} has no executable {folder / part}: put the {part} "
                    "of the same Kubernetes release there (archives made for envtest lack "
                    f"kube-controller-manager), or unset {ASSETS_VARIABLE} to have everything built"
                )
        return cls({part: (str(folder / part),) for part in PARTS})

    def command(self, part: str, *arguments: str) -> list[str]:
        """Return the command line that runs a part."""
        return [*self.commands[part], *arguments]


@dataclass(frozen=True, slots=True)
class Program:
    """One program to build with Go."""

    name: str
    module: Path
    """The folder of its go.mod."""
    package: str
    duration: str
    """How long the first build takes on two cores, for the person who waits."""
    tags: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    """Set by the linker: a program built from a module otherwise does not know its version."""

    def flags(self) -> tuple[str, ...]:
        """Return the flags of ``go build`` on which the result depends."""
        linker = ["-s", "-w", *(f"-X {name}={value}" for name, value in self.variables.items())]
        # -buildvcs: stamping would ask git, which refuses a checkout that another user owns.
        return (
            "-trimpath",
            "-buildvcs=false",
            f"-tags={','.join(self.tags)}",
            f"-ldflags={' '.join(linker)}",
        )


def locked_version(module: Path, dependency: str) -> str:
    """Return the version of a dependency that a module's go.mod requires, such as ``v1.37.2``."""
    go_mod = module / "go.mod"
    found = re.search(
        rf"^(?:require)?\s+{re.escape(dependency)} (v\S+)",
        go_mod.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    if not found:
        raise ClusterError(f"{go_mod} does not require {dependency}")
    return found[1]


def kubernetes_program(*, node: bool = False) -> Program:
    """Return the Kubernetes of the tests; with what a node needs only where that is asked for."""
    version = locked_version(MODULE, "k8s.io/kubernetes")
    major, minor, _ = version.removeprefix("v").split(".", 2)
    return Program(
        name="kubernetes",
        module=MODULE,
        package=".",
        duration="about five minutes",
        tags=("node",) if node else (),
        # Without these the server calls itself v0.0.0-master, which charts and clients misread.
        variables={
            "k8s.io/component-base/version.gitVersion": version,
            "k8s.io/component-base/version.gitMajor": major,
            "k8s.io/component-base/version.gitMinor": minor,
            "k8s.io/client-go/pkg/version.gitVersion": version,
        },
    )


def helm_program() -> Program:
    """Return helm, which only the tests of the chart need."""
    module = MODULE / "helm"
    return Program(
        name="helm",
        module=module,
        package="helm.sh/helm/v4/cmd/helm",
        duration="about a minute and a half",
        variables={
            "helm.sh/helm/v4/internal/version.version": locked_version(module, "helm.sh/helm/v4")
        },
    )


def static_program(module: Path) -> Program:
    """Return a small program in a folder of its own, which runs in an image without a library."""
    return Program(name=module.name, module=module, package=".", duration="some seconds")


def key_of(program: Program) -> str:
    """Return a name for the result of a build: equal only if its sources, flags and platform are.

    The version of Go is left out: a patch release of it is no reason to wait five minutes again.
    """
    digest = hashlib.sha256()
    locks = [path for path in map(program.module.joinpath, ("go.mod", "go.sum")) if path.exists()]
    for path in (*locks, *sorted(program.module.glob("*.go"))):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode())
        digest.update(content)
    for fact in (program.package, *program.flags(), platform.system(), platform.machine()):
        digest.update(f"{fact}\n".encode())
    return digest.hexdigest()[:20]


def build(program: Program) -> Path:
    """Return the executable of a program, after building it if this user has not yet.

    Raises:
        ClusterError: The build failed; the compiler's words are in the message.
    """

    def compile_to(target: Path) -> None:
        go = find_go()
        progress.run(
            [go.executable, "build", *program.flags(), "-o", target, program.package],
            doing=f"building {program.name}, {program.duration}, once",
            env=go.environment(),
            cwd=program.module,
        )

    return cache.made_once(
        cache.cache_folder() / "kubernetes" / key_of(program) / program.name, compile_to
    )


def find_assets() -> Assets:
    """Return the control plane's parts: those the user names, or our own.

    Raises:
        ClusterError: The named folder lacks one, or the build failed.
    """
    named = os.environ.get(ASSETS_VARIABLE)
    if named:
        return Assets.of_folder(Path(named))
    return Assets.of_binary(build(kubernetes_program()))
