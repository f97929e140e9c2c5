"""An OCI archive, read without any tool: what is in the image, and what it says of itself."""

import gzip
import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Archive", "Files", "resolve"]

Files = Mapping[str, tarfile.TarInfo]
"""What is in an image, by its path without the slash at the beginning."""


@dataclass(frozen=True, slots=True)
class Archive:
    """One image in a file. Its layers only add: it begins from scratch and removes nothing."""

    path: Path

    def config(self) -> dict[str, Any]:
        """Return what a runtime is told: user, entrypoint, environment and the like."""
        document = json.loads(self._blob(self._manifest()["config"]["digest"]))
        config: dict[str, Any] = document["config"]
        return config

    def compressed_bytes(self) -> int:
        """Return the sum of the layers, as a registry stores and a node pulls them."""
        return sum(int(layer["size"]) for layer in self._manifest()["layers"])

    def files(self) -> Files:
        """Return every file, folder and link."""
        found: dict[str, tarfile.TarInfo] = {}
        for layer in self._layers():
            found |= {_path(member): member for member in layer}
        return found

    def read(self, pattern: re.Pattern[str]) -> dict[str, bytes]:
        """Return the content of the files whose whole path matches, by their path."""
        found = {}
        for layer in self._layers():
            for member in layer:
                name = _path(member)
                if member.isfile() and pattern.fullmatch(name):
                    found[name] = _content(layer, member)
        return found

    def unpack(self, folder: Path) -> None:
        """Write the root file system into a folder, owners and modes as they are in the image."""
        for layer in self._layers():
            layer.extractall(folder, filter="fully_trusted")

    def _layers(self) -> Iterator[tarfile.TarFile]:
        for layer in self._manifest()["layers"]:
            content = gzip.decompress(self._blob(layer["digest"]))
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                yield tar

    def _manifest(self) -> dict[str, Any]:
        with self._tar() as tar:
            index = json.loads(_content(tar, "index.json"))
        [entry] = index["manifests"]
        manifest: dict[str, Any] = json.loads(self._blob(entry["digest"]))
        return manifest

    def _blob(self, digest: str) -> bytes:
        with self._tar() as tar:
            return _content(tar, f"blobs/{digest.replace(':', '/')}")

    @contextmanager
    def _tar(self) -> Iterator[tarfile.TarFile]:
        with tarfile.open(self.path) as tar:
            yield tar


def resolve(files: Files, path: str) -> str:
    """Return where a path leads when links are followed, those of folders on the way too."""
    real: list[str] = []
    left = path.split("/")
    while left:
        part = left.pop(0)
        if part == "..":
            real.pop()
            continue
        member = files.get("/".join([*real, part]))
        if member is not None and member.issym():
            if member.linkname.startswith("/"):
                real = []
            left = [*member.linkname.strip("/").split("/"), *left]
        else:
            real.append(part)
    return "/".join(real)


def _path(member: tarfile.TarInfo) -> str:
    return member.name.removeprefix("./").strip("/")


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo | str) -> bytes:
    file = tar.extractfile(member)
    assert file, f"{member} is no file"
    return file.read()
