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
    *("pyproject.toml", "--extra", "operator"),
]


def main() -> int:
    """Write both lock files; what runs is pinned as what is tested."""
    environment = {"UV_NATIVE_TLS": "1"} | dict(os.environ)
    for arguments in (
        ["--group", "dev", "--output-file", "requirements/dev.txt"],
        ["--constraints", "requirements/dev.txt", "--output-file", "requirements/operator.txt"],
    ):
        command = [*COMPILE, *arguments]
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
