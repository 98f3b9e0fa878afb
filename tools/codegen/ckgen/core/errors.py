# SPDX-License-Identifier: MIT
"""Errors of the generator; each message is one sentence that can be shown to a user as it is."""


class CkgenError(Exception):
    """Base of every error that this package raises on purpose."""


class UsageError(CkgenError):
    """The request itself makes no sense, whatever the kernels are."""


class FieldError(CkgenError):
    """A value does not fit its field; the message does not say whose field it is."""


class SpecError(CkgenError):
    """A serialized spec or a kernel name does not describe a spec."""


class DeclarationError(CkgenError):
    """A kernel-set declaration is malformed or asks for what no GPU can do."""


class RenderError(CkgenError):
    """A template could not be turned into source text."""
