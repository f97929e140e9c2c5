"""The generated sections of docs/reference/fetch-faults.md: the closed set of reasons, and the
misbehaviours that the tests serve.
"""

from typing import NamedTuple

from proxar.fetch import Reason
from tests.support.behaviours import BEHAVIOURS
from tests.support.conversation import Behaviour

__all__ = ["ADVICE", "sections"]


class Advice(NamedTuple):
    """What a reason means, and what a person does about it."""

    means: str
    do: str


ADVICE: dict[Reason, Advice] = {
    Reason.DNS_FAILED: Advice(
        "The host's name could not be resolved.",
        "Check the spelling of the host, the Service's name and namespace, and the cluster's DNS.",
    ),
    Reason.CONNECT_FAILED: Advice(
        "No connection, one that was closed without an answer, or a command that does not start.",
        "Check that the server runs, its port, and the network policies between the two.",
    ),
    Reason.TLS_FAILED: Advice(
        "No trusted connection: an unknown authority, another name, or a date that is over.",
        "Renew the certificate, or use a host name that is in it.",
    ),
    Reason.TIMEOUT: Advice(
        "The look was not over within its timeout; the message says in which phase.",
        "Look at the server's load; raise `spec.timeout`, up to the interval.",
    ),
    Reason.UNAUTHORIZED: Advice(
        "The server answered 401: it wants credentials.",
        "Send what it wants to see in `spec.headers`.",
    ),
    Reason.FORBIDDEN: Advice(
        "The server answered 403: who asks may not list tools.",
        "Give that caller the right to list tools.",
    ),
    Reason.NOT_FOUND: Advice(
        "The server answered 404 or 410, or forgets every session.",
        "Correct the path; with several replicas, give sessions an affinity.",
    ),
    Reason.HOST_REJECTED: Advice(
        "The server answered 421: it does not serve this host name.",
        "Add the host to the server's allowed hosts.",
    ),
    Reason.RATE_LIMITED: Advice(
        "The server answered 429. Proxar waits as long as it asks for, an hour at most.",
        "Look less often: raise `spec.interval`.",
    ),
    Reason.SERVER_ERROR: Advice(
        "The server answered with a status from 500 on.",
        "Read the server's log.",
    ),
    Reason.HTTP_ERROR: Advice(
        "The server answered with another status that is no success.",
        "Check that the url is that of an MCP server, and what stands in front of it.",
    ),
    Reason.REDIRECT_REFUSED: Advice(
        "A redirect, or an address for requests over HTTP+SSE, to another origin; a circle; POST "
        "turned into GET.",
        "Use the url that it leads to, if it is meant.",
    ),
    Reason.NOT_MCP: Advice(
        "The answer is no MCP: HTML, another media type, or none.",
        "Correct the url: a login page, a proxy or another service answers.",
    ),
    Reason.TRUNCATED_RESPONSE: Advice(
        "The answer ended in its middle, an event stream before it, or the command itself.",
        "Look at the server's restarts, and at time limits of proxies in front of it.",
    ),
    Reason.MALFORMED_RESPONSE: Advice(
        "The answer is no JSON, no UTF-8, or breaks the rules of HTTP.",
        "Report it to the server's authors. Servers that log to standard output are a usual cause.",
    ),
    Reason.PROTOCOL_ERROR: Advice(
        "The answer is JSON, but not what MCP asks for: another id, another shape or version.",
        "Report it to the server's authors; or update Proxar, if the message says so.",
    ),
    Reason.RPC_ERROR: Advice(
        "The server answered with an error of JSON-RPC.",
        "Read the message and the server's log.",
    ),
    Reason.TOOLS_UNSUPPORTED: Advice(
        "The server says that it has no tools at all.",
        "Delete the MCPServer, or turn on the server's tools.",
    ),
    Reason.PAGINATION_LOOP: Advice(
        "The pages of the list lead back to one that was read.",
        "Report it to the server's authors: `nextCursor` must be absent on the last page.",
    ),
    Reason.TOO_LARGE: Advice(
        "More bytes, tools, pages or nesting than Proxar reads.",
        "Ask the server's authors to trim the list.",
    ),
    Reason.EMPTY_LIST: Advice(
        "The list is empty or lost tools, and another look has to confirm it first.",
        "Wait for it. If it persists, look whether the server was still starting.",
    ),
    Reason.SECRET_NOT_FOUND: Advice(
        "A Secret, or the key in it, does not exist.",
        "Create it in the namespace of the MCPServer, or correct the reference.",
    ),
    Reason.SECRET_FORBIDDEN: Advice(
        "Proxar may not read the Secret.",
        "Grant it that right in the namespace.",
    ),
    Reason.TOKEN_FAILED: Advice(
        "No token could be had for the server.",
        "Check the client's credentials and the address of the token endpoint.",
    ),
    Reason.EGRESS_DENIED: Advice(
        "The address is one that the operator must not reach: loopback, link-local, its cluster's.",
        "Use `serviceRef`; or let the operator reach it, with the chart value `allowEgress`.",
    ),
}
"""For every reason; a new one needs a line here."""


def sections() -> dict[str, str]:
    """Return the generated text by section name."""
    return {
        "reasons": _table(),
        "faults": "\n\n".join(_examples(reason) for reason in Reason if _of(reason)),
        "lists": "\n".join(
            _line(it) for it in BEHAVIOURS.values() if not isinstance(it.expects, Reason)
        ),
    }


def _table() -> str:
    rows = ["| reason | what happened | what to do |", "|---|---|---|"]
    for reason in Reason:
        name = f"[{reason}](#{reason.lower()})" if _of(reason) else str(reason)
        rows.append(f"| {name} | {ADVICE[reason].means} | {ADVICE[reason].do} |")
    return "\n".join(rows)


def _examples(reason: Reason) -> str:
    return "\n".join([f"### {reason}", "", *map(_line, _of(reason))])


def _of(reason: Reason) -> list[Behaviour]:
    return [behaviour for behaviour in BEHAVIOURS.values() if behaviour.expects == reason]


def _line(behaviour: Behaviour) -> str:
    return f"- `{behaviour.name}`: {behaviour.summary[:1].lower()}{behaviour.summary[1:]}."
