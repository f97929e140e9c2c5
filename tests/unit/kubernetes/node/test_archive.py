import hashlib
import json
import tarfile
from pathlib import Path

from tests.kubernetes.node.archive import write_image


def test_an_image_is_whole_and_named(tmp_path: Path) -> None:
    """Every digest is that of the blob it names, and the program in the only layer can run."""
    program = tmp_path / "pause"
    program.write_bytes(b"\x7fELF")
    write_image(tmp_path / "image.tar", "localhost/pause:1", program, arguments=["now"])

    with tarfile.open(tmp_path / "image.tar") as archive:
        files = {
            member.name: file.read()
            for member in archive
            if (file := archive.extractfile(member)) is not None
        }

    blobs = {name.rpartition("/")[2]: content for name, content in files.items() if "/" in name}
    assert all(hashlib.sha256(blob).hexdigest() == name for name, blob in blobs.items())
    (named,) = json.loads(files["index.json"])["manifests"]
    assert named["annotations"] == {"io.containerd.image.name": "localhost/pause:1"}
    manifest = json.loads(blobs[named["digest"].removeprefix("sha256:")])
    config = json.loads(blobs[manifest["config"]["digest"].removeprefix("sha256:")])
    assert config["config"]["Entrypoint"] == ["/bin/pause"]
    assert config["config"]["Cmd"] == ["now"]
    layer = tmp_path / "layer.tar.gz"
    layer.write_bytes(blobs[manifest["layers"][0]["digest"].removeprefix("sha256:")])
    with tarfile.open(layer) as content:
        (entry,) = content.getmembers()
    assert (entry.name, entry.mode, entry.size) == ("bin/pause", 0o755, 4)


def test_the_same_program_makes_the_same_image(tmp_path: Path) -> None:
    """No time and no name of a user is in it."""
    program = tmp_path / "pause"
    program.write_bytes(b"\x7fELF")
    images = [tmp_path / "one.tar", tmp_path / "two.tar"]

    for image in images:
        write_image(image, "localhost/pause:1", program)

    assert images[0].read_bytes() == images[1].read_bytes()
