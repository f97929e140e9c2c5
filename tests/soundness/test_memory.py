"""Memory stays flat over many fetches, misbehaving servers included.

The long version is `python -m benchmarks.fetch --soak 50000`.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.fetch.soak import MOST_BYTES, WARM_UP, Sample, growth, measure

FETCHES = 3_000
MOST_OBJECTS = 3_000
"""One more kept for each fetch after the warm-up would be about as many."""


def test_memory_is_flat() -> None:
    """Neither bytes nor objects stay behind; a fifth of the fetches meets a fault."""
    # In a process of its own: what earlier tests left may go, or grow, at any moment.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        samples = pool.submit(measure, FETCHES).result()

    assert samples[-1].failed > FETCHES // 20
    assert growth(samples) < MOST_BYTES
    assert samples[-1].objects - samples[WARM_UP].objects < MOST_OBJECTS


def test_a_leak_would_be_seen() -> None:
    """Of one kilobyte a fetch, in 50,000 of them."""
    leaking = [Sample(n * 2_500, 0, (50 << 20) + n * 2_500 * 1024, 0) for n in range(1, 21)]
    flat = [Sample(n * 2_500, 0, (50 << 20) + n % 2 * 100_000, 0) for n in range(1, 21)]

    assert growth(leaking) > MOST_BYTES
    assert growth(flat) < MOST_BYTES
