# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
"""Amounts of memory."""
from ._errors import ArgumentError

_UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def bytes_of(amount):
    """Bytes: of a number, or of a text such as "2G" or "1.5GiB"; 0 for None."""
    if amount is None:
        return 0
    try:
        count = _count(amount)
        if count >= 0:
            return count
    except (KeyError, OverflowError, TypeError, ValueError):
        pass
    raise ArgumentError(f"mem_limit: {amount!r} is no amount of memory; known units: k, M, G, T, Ki, Mi, Gi, Ti")


def _count(amount):
    if not isinstance(amount, str):
        return int(amount)
    text = amount.strip().removesuffix("B").strip()
    number = text.rstrip("kKMGTi")
    return int(float(number) * _UNITS[text[len(number):]])
