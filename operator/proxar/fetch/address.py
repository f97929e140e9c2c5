"""A url, read once: where it leads, what is asked for there, and what of it may be shown."""

from dataclasses import dataclass, field
from functools import lru_cache

import httpx
import yarl

__all__ = ["Address", "parse_address", "read_address"]


@dataclass(frozen=True, slots=True)
class Address:
    """A url in its parts, without fragment. It may hold a key, so it is never shown; `label` is."""

    url: yarl.URL = field(repr=False)
    scheme: str
    host: str
    """In ASCII; empty where there is none."""
    port: int
    """That of the scheme where the url names none; 0 where it has no port either."""
    authority: str
    """Host and, where it is not the scheme's own, port: the header Host."""
    path: str = field(repr=False)
    """With query: what a request names."""
    has_user: bool
    """It holds a user name or password."""

    @property
    def label(self) -> str:
        """`https://host:port` without path, query and credentials."""
        return f"{self.scheme}://{self.authority}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """What credentials are not carried away from."""
        return self.scheme, self.host, self.port

    @property
    def is_http(self) -> bool:
        """Whether it can be asked at all."""
        return self.scheme in PORTS and bool(self.host) and 0 < self.port < 65536


PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=2048)
def read_address(text: str) -> Address:
    """Read a url of ours. It is asked for several times a fetch, and takes 0.1 ms.

    Raises:
        ValueError: It is none.
    """
    return parse_address(text)


def parse_address(text: str) -> Address:
    """Read a url that a server may have made: nothing of it is kept.

    Raises:
        ValueError: It is none.
    """
    try:
        read = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise ValueError(str(error)) from None
    url = yarl.URL(str(read.copy_with(fragment=None)))
    port = PORTS.get(read.scheme, 0) if read.port is None else read.port
    return Address(
        url=url,
        scheme=read.scheme,
        host=read.raw_host.decode("ascii"),
        port=port,
        authority=read.netloc.decode("ascii"),
        path=url.raw_path_qs,
        has_user=bool(read.userinfo),
    )
