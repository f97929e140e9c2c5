"""Every misbehaviour that the tests know, in a process: `python -m benchmarks.fetch.faults`.

It prints its port. What the server keeps of requests for the tests is thrown away now and then.
"""

import asyncio

from tests.support.faultserver import FaultServer

FORGET_SECONDS = 0.5


async def serve() -> None:
    """Listen on a free port until the end."""
    async with FaultServer() as server:
        print(server.port, flush=True)
        while True:
            await asyncio.sleep(FORGET_SECONDS)
            server.requests.clear()


if __name__ == "__main__":
    asyncio.run(serve())
