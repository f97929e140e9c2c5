"""`python -m tests.support.lock`: move every pinned version to the newest that pyproject.toml
allows.

Lock files are universal (all supported Pythons and platforms) and name no package index: which one
is asked is each machine's own setting.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")

COMPILE = [
    *(str(UV), "pip", "compile", "--quiet", "--upgrade", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url"),
]
PROJECT = ["pyproject.toml", "--extra", "operator"]
CONSTRAINED = ["--constraints", "requirements/dev.txt"]


def main() -> int:
    """Write the lock files; what runs, and what builds it, is pinned as what is tested."""
    environment = {"UV_NATIVE_TLS": "1"} | dict(os.environ)
    for arguments in (
        [*PROJECT, "--group", "dev", "--output-file", "requirements/dev.txt"],
        [*PROJECT, *CONSTRAINED, "--output-file", "requirements/operator.txt"],
        ["--group", "image", *CONSTRAINED, "--output-file", "requirements/image.txt"],
    ):
        command = [*COMPILE, *arguments]
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
