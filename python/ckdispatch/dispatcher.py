# SPDX-License-Identifier: MIT
"""The dispatcher of programs: problems of any family, and the calls that each family gives it."""

from __future__ import annotations

from ckdispatch.base_dispatcher import BaseDispatcher
from ckdispatch.families import FamilyMethods


class Dispatcher(FamilyMethods):
    __doc__ = BaseDispatcher.__doc__
