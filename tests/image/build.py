"""The image of this checkout, and the base that it is built on: made once, kept by their content.

``base_image()`` and ``built_image()`` return OCI archives, as ``ctr images import`` takes them.
"""

import hashlib
import os
import platform
import sys
from pathlib import Path

from tests.image import buildah
from tests.kubernetes import cache, progress
from tests.kubernetes.node import packages

__all__ = [
    "BASE",
    "IMAGE",
    "PYTHON",
    "base_argument",
    "base_image",
    "built_image",
    "forget_oldest",
    "inputs",
    "key_of",
]

ROOT = Path(__file__).parents[2]

IMAGE = "localhost/proxar:test"
"""What the image is called, in pods too."""

BASE = "localhost/proxar-base:test"

SUITE = "trixie"
PYTHON = "3.13"
"""Of Debian's suite above; the wheels are made for it."""

BASE_PACKAGES = ("python3", "python3-venv", "ca-certificates")
"""What the Dockerfile expects of a base."""

LOCKS = ("requirements/operator.txt", "requirements/image.txt")

KEPT = 6
"""Images of other states of the checkout that stay in the cache; one is 50 MB."""


def base_image() -> Path:
    """Return a Debian with Python, as it stands in for the public base image.

    Raises:
        ClusterError: It could not be made; the message says what failed.
    """
    key = key_of({"packages": " ".join((SUITE, *BASE_PACKAGES)).encode()})

    def make(target: Path) -> None:
        packages.install(packages.IMAGES)
        with buildah.workspace() as work:
            context = work / "context"
            context.mkdir()
            progress.run(
                [
                    *(packages.find("mmdebstrap"), "--variant=minbase"),
                    f"--include={','.join(BASE_PACKAGES)}",
                    *(SUITE, context / "base.tar"),
                ],
                doing=f"making a Debian {SUITE} with Python as a base image, once",
                env=os.environ,
            )
            dockerfile = 'FROM scratch\nADD base.tar /\nCMD ["/bin/sh"]\n'
            (context / "Dockerfile").write_text(dockerfile, encoding="utf-8")
            buildah.build(context, BASE, target, doing="packing the base image")

    return cache.made_once(buildah.image_folder() / f"base-{key}.tar", make)


def base_argument() -> str:
    """Return the base image as buildah takes it in a FROM, and so in `--build-arg=BASE=`."""
    return f"oci-archive:{base_image()}:{BASE}"


def built_image() -> Path:
    """Return the image of the checkout as it is now.

    Raises:
        ClusterError: It could not be built; the message says what failed.
    """
    files = inputs()
    folder = buildah.image_folder()

    def make(target: Path) -> None:
        base, wheels = base_argument(), _wheels(files)
        with buildah.workspace() as work:
            context = work / "context"
            for name, content in files.items():
                path = context / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            buildah.build(
                *(context, IMAGE, target),
                doing="building the image, about a minute",
                arguments={"BASE": base},
                contexts={"wheels": wheels},
            )

    image = cache.made_once(folder / f"proxar-{key_of(files)}.tar", make)
    image.touch()
    forget_oldest(folder)
    return image


def inputs() -> dict[str, bytes]:
    """Return all that the image is made of: what .dockerignore lets through, and itself."""
    ignore = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    named = [ROOT / line.removeprefix("!") for line in ignore if line.startswith("!")]
    files = [ROOT / "Dockerfile", ROOT / ".dockerignore"]
    for path in named:
        files += sorted(path.rglob("*")) if path.is_dir() else [path]
    return {
        str(path.relative_to(ROOT)): path.read_bytes()
        for path in files
        if path.is_file() and "__pycache__" not in path.parts
    }


def _wheels(files: dict[str, bytes]) -> Path:
    """Return a folder with every wheel that the locks name, for the Python of the base image."""
    locks = {name: files[name] for name in LOCKS}

    def download(target: Path) -> None:
        pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input"]
        exactly = ["--require-hashes", "--only-binary", ":all:", "--no-deps"]
        # Markers are read for this Python: what only the base's would need, the build will miss.
        foreign = ["--python-version", PYTHON, "--implementation", "cp"]
        for name in locks:
            progress.run(
                [*pip, *exactly, *foreign, "--dest", target, "-r", ROOT / name],
                doing=f"downloading the wheels of {name} for the image, once",
                env=os.environ,
            )

    return cache.made_once(buildah.image_folder() / f"wheels-{key_of(locks, PYTHON)}", download)


def key_of(files: dict[str, bytes], *facts: str) -> str:
    """Return a name for what is made of files: equal only if they, base and machine are."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    for fact in (platform.machine(), SUITE, *BASE_PACKAGES, *facts):
        digest.update(f"{fact}\n".encode())
    return digest.hexdigest()[:20]


def forget_oldest(folder: Path) -> None:
    """Remove all but the images used last.

    Whoever reads one of them goes on reading: an open file outlives its name.
    """
    images = sorted(folder.glob("proxar-*.tar"), key=lambda path: path.stat().st_mtime)
    for image in images[:-KEPT]:
        image.unlink(missing_ok=True)
        image.with_name(f"{image.name}.lock").unlink(missing_ok=True)
