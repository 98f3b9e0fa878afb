# SPDX-License-Identifier: MIT
"""Measures the simulator: ./bazelw run //tools/bench:sim_bench -- --help"""
