# SPDX-License-Identifier: Apache-2.0
"""plinth-conformance, L0 to L2"""

import suite


def measure(rows) -> None:
    what = "conformance, L0 to L2"
    suite.measure(rows, what, "plinth_cuda", ["--level", "L2"], "conforms to L2", 200)
