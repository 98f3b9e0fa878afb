"""The public module extension of ckdispatch."""

load("//rules/private:extension.bzl", _ck = "ck")

ck = _ck
