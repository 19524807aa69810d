# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""The one list of the options in Python: stubs, help() and completion read it. None is as if left out."""
import inspect
from typing import TYPE_CHECKING, Any, Callable, Literal, Optional, TypedDict, Union

if TYPE_CHECKING:
    from . import Iteration, RecycledSpace
else:
    from ._core import Iteration, RecycledSpace

Method = Literal["auto", "cg", "bicgstab", "gmres", "minres", "bicgstab2", "idr", "gcrodr", "lsmr"]
Failure = Literal["warn", "raise", "ignore"]
_Count = Optional[Union[int, Literal["auto"]]]


class SolveOptions(TypedDict, total=False):
    """Options of one solve."""

    rtol: Optional[float]
    atol: Optional[float]
    maxiter: Optional[int]
    time_limit: Optional[float]
    mem_limit: Optional[Union[float, str]]
    restart: _Count
    recycle: _Count
    recycled: Optional[RecycledSpace]
    flexible: Optional[bool]
    shadow: Optional[int]
    mixed: Optional[Literal["auto", "on", "off"]]
    effort: Optional[Literal["quick", "normal", "thorough"]]
    prepare: Optional[bool]
    symmetric: Optional[bool]
    check_every: Optional[int]
    history: Optional[bool]
    divergence_limit: Optional[float]
    callback: Optional[Callable[[Iteration], Any]]
    progress: Optional[bool]


class SolverOptions(SolveOptions, total=False):
    """Options of a set-up, and of the solves with it."""

    solver: Optional[Union[Method, str]]
    device: Optional[str]
    format: Optional[str]
    renumber: Optional[Literal["auto", "on", "off"]]
    right_sides: Optional[int]
    on_failure: Failure
    varies: bool
    symmetric_preconditioner: Optional[bool]


def takes(options):
    """A decorator that shows a function's `**given` as these options, each an argument by name that is None."""

    def shown(function):
        own = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = [name for name in options.__annotations__ if all(name != p.name for p in own)]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
        function.__signature__ = inspect.Signature([*own, *more])
        return function

    return shown
