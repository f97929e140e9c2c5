"""`python3 -m image.assemble VENV ROOT`: copy into an empty folder what a virtual environment needs
to run, and nothing else: no shell, no package manager, no compiler.

What is needed is asked of the base, not listed, so that any base with glibc and dpkg will do,
whether its Python is a Debian package or was built into /usr/local, and whatever the machine.
"""

import os
import re
import shutil
import ssl
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from image import debian
from image.place import place

USER = 65532
"""Of nobody in particular, as in the images of distroless; the chart says the same number."""

UNUSED = frozenset(
    {
        "EXTERNALLY-MANAGED",
        "__pycache__",  # compiled anew, see `compile_all`
        "curses",
        "dbm",
        "dist-packages",
        "ensurepip",  # carries pip
        "idlelib",
        "lib2to3",
        "pydoc_data",
        "site-packages",  # of the base; ours are in the virtual environment
        "sitecustomize.py",  # Debian's looks for a crash reporter at each start
        "sqlite3",
        "test",
        "tests",
        "tkinter",
        "turtle.py",
        "turtledemo",
        "venv",
    }
)
"""Parts of the standard library that a server never imports."""

UNUSED_PATTERN = re.compile(
    r"config-\d.*"  # what embedders compile with
    r"|(_test|_tkinter|_curses|_ctypes_test|_dbm|_gdbm|_sqlite3|_xx|readline|xxlimited|xxsubtype).*\.so"
)

COMMANDS = re.compile(r"proxar|kubectl-proxar|python[\d.]*")
"""Of the virtual environment; other packages bring commands too, and there is no shell to type them
in."""

FILES = {
    "etc/passwd": (
        "root:x:0:0:root:/nonexistent:/nonexistent\n"
        f"proxar:x:{USER}:{USER}:proxar:/tmp:/nonexistent\n"
    ),
    "etc/group": f"root:x:0:\nproxar:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}

AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")


def main(venv: Path, root: Path) -> None:
    """Fill `root`; what cannot be found ends the build, not the first request in production."""
    program = Path(sys.executable)
    placed = set(place_all([program, *standard_library(), *environment(venv)], root))
    placed |= set(place_all(shared_libraries(placed), root))
    placed |= set(place_all([AUTHORITIES, Path("/etc/os-release")], root))
    for path, content in FILES.items():
        (root / path).write_text(content, encoding="utf-8")
    link_authorities(root)
    for folder, mode in (("proc", 0o555), ("sys", 0o555), ("dev", 0o755), ("tmp", 0o1777)):
        (root / folder).mkdir()
        (root / folder).chmod(mode)
    packages = debian.owners(placed | {Path("/usr/share/doc/ca-certificates/copyright")})
    debian.describe(packages, root)
    index_libraries(root)
    compile_all(root, [Path(sysconfig.get_path("stdlib")), venv / "lib"])
    import_all(root, venv / "bin" / "python")


def place_all(paths: Iterable[Path], root: Path) -> Iterator[Path]:
    """Copy files to their own paths below `root`; return where each really is."""
    for path in paths:
        yield place(path, root)


def standard_library() -> Iterator[Path]:
    """The files of the base's standard library that are wanted."""
    for name in ("stdlib", "platstdlib"):
        yield from wanted(Path(sysconfig.get_path(name)))


def environment(venv: Path) -> Iterator[Path]:
    """The files of the virtual environment, with the commands of ours alone."""
    yield venv / "pyvenv.cfg"
    yield from (path for path in (venv / "bin").iterdir() if COMMANDS.fullmatch(path.name))
    for folder, _, files in os.walk(venv / "lib"):
        if Path(folder).name != "__pycache__":
            yield from (Path(folder, file) for file in files)


def wanted(library: Path) -> Iterator[Path]:
    """Walk through a standard library, leaving out what is unused."""
    for folder, folders, files in os.walk(library):
        folders[:] = [name for name in folders if _is_used(name)]
        yield from (Path(folder, name) for name in files if _is_used(name))


def _is_used(name: str) -> bool:
    return name not in UNUSED and not UNUSED_PATTERN.fullmatch(name)


def shared_libraries(programs: Iterable[Path]) -> set[Path]:
    """What the programs and extension modules load, and the loader itself.

    Raises:
        SystemExit: One of the libraries is not in the base.
    """
    found: set[Path] = set()
    for program in filter(_is_elf, programs):
        answer = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
        if "not found" in answer.stdout:
            sys.exit(f"{program} lacks a library in this base:\n{answer.stdout}")
        found |= {Path(path) for path in re.findall(r"(/\S+) \(0x", answer.stdout)}
    # glibc loads it by itself when a thread ends, and aborts where it is not.
    beside = {library.parent / "libgcc_s.so.1" for library in found}
    return found | {library for library in beside if library.exists()}


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def link_authorities(root: Path) -> None:
    """Let OpenSSL find the certificates where it was compiled to look."""
    paths = ssl.get_default_verify_paths()
    for link, target in (
        (paths.openssl_cafile, AUTHORITIES),
        (paths.openssl_capath, AUTHORITIES.parent),
    ):
        place_at = root / link.lstrip("/")
        if not os.path.lexists(place_at):
            place_at.parent.mkdir(parents=True, exist_ok=True)
            place_at.symlink_to(target)


def index_libraries(root: Path) -> None:
    """Write the loader's index: /usr/local/lib, for one, is found by it alone."""
    for path in (Path("/etc/ld.so.conf"), *Path("/etc/ld.so.conf.d").glob("*.conf")):
        if path.exists():
            place(path, root)
    subprocess.run(["ldconfig", "-r", root], check=True)
    shutil.rmtree(root / "var/cache/ldconfig", ignore_errors=True)


def compile_all(root: Path, folders: Iterable[Path]) -> None:
    """Compile every module, since nothing can be written at run time.

    By hash and unchecked, so that no time stamp of a layer makes the bytecode stale.
    """
    below = [str(root / folder.relative_to("/")) for folder in folders]
    names = ["-s", str(root), "-p", "/"]  # tracebacks name the paths of the image
    mode = ["--invalidation-mode", "unchecked-hash"]
    compile_command = [sys.executable, "-m", "compileall", "-q", "-j", "0"]
    subprocess.run([*compile_command, *mode, *names, *below], check=True)


IMPORT_ALL = """
import importlib, pkgutil, proxar
for module in pkgutil.walk_packages(proxar.__path__, "proxar."):
    importlib.import_module(module.name)
"""


def import_all(root: Path, python: Path) -> None:
    """Import every module of ours as it will be in the image: what is missing shows here."""
    subprocess.run(["chroot", root, python, "-I", "-B", "-c", IMPORT_ALL], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
