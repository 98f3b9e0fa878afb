# SPDX-License-Identifier: MIT
"""The kernels that this project declared are there, and answer."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

import small_gemms

NAME = "gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False_64x64x64_2x2x1_32x32x16"
(MANIFEST,) = (Path(word) for word in sys.argv[1:] if word.endswith(".manifest.json"))


class SmallGemmsTest(unittest.TestCase):
    def test_the_manifest_names_what_was_declared_for_this_gpu(self) -> None:
        manifest = json.loads(MANIFEST.read_text())
        self.assertEqual("small_gemms", manifest["set"])
        self.assertEqual([NAME], [kernel["name"] for kernel in manifest["kernels"]])
        self.assertEqual([["gfx942"]], [kernel["gpus"] for kernel in manifest["kernels"]])
        self.assertEqual([], manifest["spilling"])

    def test_a_kernel_describes_itself(self) -> None:
        described = small_gemms.load_kernels(MANIFEST)[NAME].describe()
        self.assertEqual(NAME, described["spec"]["name"])
        self.assertEqual([64, 64, 64], described["spec"]["tile"])
        self.assertEqual("gfx942:64", described["targets"])

    def test_a_kernel_says_what_it_computes_and_why_not(self) -> None:
        kernel = small_gemms.load_kernels(MANIFEST)[NAME]
        self.assertEqual((True, ""), kernel.supports(128, 192, 256, "gfx942"))
        supported, why = kernel.supports(128, 192, 200, "gfx942")
        self.assertFalse(supported)
        self.assertIn("200", why)
        supported, why = kernel.supports(128, 192, 256, "gfx950")
        self.assertFalse(supported)
        self.assertIn("gfx950", why)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
