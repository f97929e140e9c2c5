"""One heap for all threads."""

import subprocess
import sys

COUNT = """
import threading
from proxar.controller.memory import one_arena
{call}
threads = [threading.Thread(target=threading.Event().wait, args=(0.5,)) for _ in range(8)]
for thread in threads:
    thread.start()
# A thread's heap is a mapping that begins at a multiple of 64 MiB.
starts = [int(line.split("-")[0], 16) for line in open("/proc/self/maps")]
print(sum(start % (64 << 20) == 0 for start in starts))
"""


def heaps(call: str) -> int:
    """Count the heaps of threads in a new process."""
    code = COUNT.format(call=call)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(run.stdout)


def test_threads_share_it() -> None:
    """Without it each of them has one."""
    assert heaps("one_arena()") < heaps("")
