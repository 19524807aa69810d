# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""What ostinato raises and warns of."""


class Error(Exception):
    """Base class of the package's exceptions."""


class FormatError(Error, ValueError):
    """A file that can't be read or has invalid content: `path`, and `line`, which counts from 1 or is None."""

    path = None
    line = None


class DimensionError(Error, ValueError):
    """Shapes that don't match."""


class ArgumentError(Error, ValueError):
    """An unknown name, or a matrix that can't be taken."""


class MemoryLimitError(Error, MemoryError):
    """What would take more memory than a limit allows, before the memory is taken."""


class DeviceError(Error, RuntimeError):
    """A missing GPU, or one that fails."""


class NotConverged(Error, ArithmeticError):
    """A solve that didn't get to its tolerance; `result` is the Solution with what was reached."""

    def __init__(self, message, result=None):
        super().__init__(message)
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a set-up or a solve; `result` is the Solution with x so far, or None during a set-up."""

    def __init__(self, message, result=None):
        super().__init__(message)
        self.result = result


class ConvergenceWarning(UserWarning):
    """A solve that didn't get to its tolerance."""


class ForkWarning(UserWarning):
    """A process that was forked has none of the threads of its parent, and works on one."""
