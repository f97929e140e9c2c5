"""An image of one static program, as an archive that containerd imports. No tool is needed."""

import gzip
import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Sequence
from pathlib import Path

__all__ = ["write_image"]

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def write_image(target: Path, name: str, program: Path, *, arguments: Sequence[str] = ()) -> None:
    """Write an OCI archive of an image with one file, which it runs as user 65532.

    Args:
        name: With a tag, as pods name it.
        arguments: Of the program, unless a pod has its own.
    """
    layer = _tar({f"bin/{program.name}": program.read_bytes()}, mode=0o755)
    machine = platform.machine()
    config = _json(
        {
            "architecture": ARCHITECTURES.get(machine, machine),
            "os": "linux",
            "config": {
                "Entrypoint": [f"/bin/{program.name}"],
                "Cmd": list(arguments),
                "User": "65532:65532",
            },
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
        }
    )
    packed = gzip.compress(layer, compresslevel=1, mtime=0)
    kind = "application/vnd.oci.image"
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": f"{kind}.manifest.v1+json",
            "config": _descriptor(config, f"{kind}.config.v1+json"),
            "layers": [_descriptor(packed, f"{kind}.layer.v1.tar+gzip")],
        }
    )
    named = {
        **_descriptor(manifest, f"{kind}.manifest.v1+json"),
        "annotations": {"io.containerd.image.name": name},
    }
    blobs = {
        f"blobs/sha256/{hashlib.sha256(blob).hexdigest()}": blob
        for blob in (config, packed, manifest)
    }
    files = {
        "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
        "index.json": _json({"schemaVersion": 2, "manifests": [named]}),
        **blobs,
    }
    target.write_bytes(_tar(files, mode=0o644))


def _tar(files: dict[str, bytes], *, mode: int) -> bytes:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.mode = mode
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return archive.getvalue()


def _descriptor(blob: bytes, kind: str) -> dict[str, object]:
    return {"mediaType": kind, "digest": _digest(blob), "size": len(blob)}


def _digest(blob: bytes) -> str:
    return f"sha256:{hashlib.sha256(blob).hexdigest()}"


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
