"""The repository that holds the facts of `arch_specs.json` for Starlark."""

load("//arch/private:specs_repository.bzl", _arch_specs_repository = "arch_specs_repository")

arch_specs_repository = _arch_specs_repository
