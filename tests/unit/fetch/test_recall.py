"""An answer of the same bytes is read once, and only as long as somebody has the list."""

import gc
import weakref
from typing import Any

import pytest

from proxar.contract import ToolList
from proxar.fetch import Era, Fetched, Fetcher, FetchError, Target
from tests.support.conversation import Behaviour, Talk
from tests.support.faultserver import TOOLS, FaultServer


class Changing:
    """A list in pages, whose bytes a test may change."""

    def __init__(self) -> None:
        self.pages: list[list[dict[str, Any]]] = [[tool] for tool in TOOLS]
        self.extra: dict[str, Any] = {}

    async def serve(self, talk: Talk) -> None:
        number = int(talk.cursor or 0)
        more = {"nextCursor": str(number + 1)} if number + 1 < len(self.pages) else {}
        await talk.result(talk.tools(self.pages[number], **more, **self.extra))


async def fetched(changing: Changing, fetcher: Fetcher) -> Fetched:
    behaviours = {"pages": Behaviour("pages", changing.serve, 2)}
    async with FaultServer(behaviours=behaviours) as server:
        return await fetcher.fetch(Target(server.url("pages")), era=Era.MODERN)


async def test_the_same_bytes_give_the_same_list(fetcher: Fetcher) -> None:
    changing = Changing()
    first = await fetched(changing, fetcher)

    second = await fetched(changing, fetcher)

    assert second.tools is first.tools
    assert second.server_version == first.server_version == "1.2.3"


async def test_other_bytes_are_read(fetcher: Fetcher) -> None:
    """Though the list be the same."""
    changing = Changing()
    first = await fetched(changing, fetcher)
    changing.extra = {"ttlMs": 1}

    second = await fetched(changing, fetcher)

    assert second.tools is not first.tools
    assert second.tools.hash == first.tools.hash


async def test_a_change_on_a_later_page_is_a_change(fetcher: Fetcher) -> None:
    changing = Changing()
    first = await fetched(changing, fetcher)
    changing.pages = [changing.pages[0], [{"name": "other"}]]

    second = await fetched(changing, fetcher)

    assert [tool.name for tool in second.tools.tools] == ["search_issues", "other"]
    assert [tool.name for tool in first.tools.tools] == ["search_issues", "close_issue"]


async def test_nothing_is_kept_that_nobody_else_has(fetcher: Fetcher) -> None:
    changing = Changing()
    last = weakref.ref((await fetched(changing, fetcher)).tools)
    gc.collect()

    assert last() is None
    assert len(fetcher._recall) == 0

    kept: list[ToolList] = []
    for number in range(5):
        changing.extra = {"ttlMs": number}
        kept.append((await fetched(changing, fetcher)).tools)
    assert len(fetcher._recall) == 10
    del kept[1:]
    gc.collect()
    assert len(fetcher._recall) == 2


async def test_a_fault_is_not_remembered(fetcher: Fetcher) -> None:
    changing = Changing()
    first = await fetched(changing, fetcher)
    changing.extra = {"resultType": "input_required"}
    with pytest.raises(FetchError):
        await fetched(changing, fetcher)
    changing.extra = {}

    assert (await fetched(changing, fetcher)).tools is first.tools
