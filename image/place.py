"""Copying one file from the base to the same path of another root."""

import os
import shutil
from pathlib import Path

__all__ = ["place"]


def place(path: Path, root: Path) -> Path:
    """Copy a file to its own path below `root`, and return where it really is.

    Links on the way, such as /lib or a library's short name, become the same links there: programs
    name both. Doing it again changes nothing.
    """
    real = Path("/")
    left = list(path.parts[1:])
    while left:
        part = left.pop(0)
        if part == "..":
            real = real.parent
            continue
        here = real / part
        there = root / here.relative_to("/")
        if here.is_symlink():
            target = here.readlink()
            if not os.path.lexists(there):
                there.symlink_to(target)
            if target.is_absolute():
                real = Path("/")
            left = [*target.relative_to(target.anchor).parts, *left]
        elif here.is_dir():
            there.mkdir(exist_ok=True)
            real = here
        else:
            if not there.exists():
                shutil.copy2(here, there)
            real = here
    return real
