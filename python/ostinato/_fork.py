# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""A child that was forked has none of the threads of its parent: it works on one, and says so."""
import os
import warnings

from . import _core
from ._errors import ForkWarning

_forked = False


def _in_child():
    global _forked
    _forked = True


def tell():
    """To be called before work: the first call in a forked child warns."""
    global _forked
    if not _forked:
        return
    _forked = False
    _core.set_threads(1)
    warnings.warn("this process was forked: ostinato works on one thread here; start processes with 'spawn' or "
                  "'forkserver' for more", ForkWarning, stacklevel=5)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
