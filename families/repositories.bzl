"""The repository that holds the table of families for Starlark."""

load("//families/private:families_repository.bzl", _families_repository = "families_repository")

families_repository = _families_repository
