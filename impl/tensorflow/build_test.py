# SPDX-License-Identifier: Apache-2.0
"""What build.py takes of the project's sources is all that it needs; for the rest a TensorFlow is needed."""

import os
import pathlib
import tempfile
import unittest

import build


class BuildTest(unittest.TestCase):
    def test_the_list_of_sources_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertTrue(build.build_options(os.environ.get("CXX", "c++"), pathlib.Path(folder)).is_file())


if __name__ == "__main__":
    unittest.main()
