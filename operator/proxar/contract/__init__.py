"""What a server promises: tool lists, their canonical form and hash, and the difference between two
of them.

Pure: bytes and values in, values out. No I/O, no clock, no logging, and nothing else of Proxar is
imported here.
"""

from proxar.contract.canonical import dump
from proxar.contract.change import Change, Diff
from proxar.contract.compare import compare
from proxar.contract.reader import read
from proxar.contract.toollist import Tool, ToolList, parse
from proxar.contract.value import JSON, MISSING, ContractError, Missing
from proxar.contract.verdict import Verdict

__all__ = [
    "JSON",
    "MISSING",
    "Change",
    "ContractError",
    "Diff",
    "Missing",
    "Tool",
    "ToolList",
    "Verdict",
    "compare",
    "dump",
    "parse",
    "read",
]
