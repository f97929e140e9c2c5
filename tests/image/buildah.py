"""Dockerfiles built into archives by buildah: no daemon, no registry, no network, nothing left."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.kubernetes import cache, progress
from tests.kubernetes.node import packages

__all__ = ["build", "image_folder", "workspace"]


def image_folder() -> Path:
    """Return the folder of this user's built images; it exists."""
    folder = cache.cache_folder() / "image"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def workspace() -> Iterator[Path]:
    """An empty folder to build one image in, of one process at a time.

    What a killed build left in it goes when the next one begins.
    """
    folder = image_folder() / "work"
    with cache.locked(
        folder.with_suffix(".lock"), waiting="waiting for another process, which builds an image"
    ):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def build(
    context: Path,
    name: str,
    target: Path,
    *,
    doing: str,
    arguments: Mapping[str, str] | None = None,
    contexts: Mapping[str, Path] | None = None,
) -> None:
    """Build the Dockerfile of a folder, and write the image as an OCI archive.

    Args:
        context: Inside a `workspace`; what buildah keeps meanwhile lies beside it.
        name: With a tag, as pods name it.
        doing: Said to whoever waits.
        arguments: What the Dockerfile's ARGs are set to.
        contexts: Folders that the Dockerfile names as if they were stages.

    Raises:
        ClusterError: It failed; buildah's words are in the message.
    """
    packages.install(packages.IMAGES)
    # Of its own: no network to be needed unnoticed, no mount to be left, and no process either.
    isolated = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    storage = context.parent / "storage"
    temporary = context.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    buildah = [
        *map(str, (packages.find("unshare"), *isolated, packages.find("buildah"))),
        *("--root", str(storage / "root"), "--runroot", str(storage / "run")),
    ]
    environment = os.environ | {
        # These two work wherever the kernel lets root mount, also inside a container.
        "STORAGE_DRIVER": "vfs",
        "BUILDAH_ISOLATION": "chroot",
        "TMPDIR": str(temporary),
    }
    given = [
        *(f"--build-arg={key}={value}" for key, value in (arguments or {}).items()),
        *(f"--build-context={key}={path}" for key, path in (contexts or {}).items()),
    ]
    progress.run(
        [*buildah, "build", "--format=oci", *given, f"--tag={name}", context],
        doing=doing,
        env=environment,
    )
    progress.run(
        [*buildah, "push", "--quiet", name, f"oci-archive:{target}:{name}"],
        doing=f"writing {name} to a file",
        env=environment,
    )
