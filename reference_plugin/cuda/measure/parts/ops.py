# SPDX-License-Identifier: Apache-2.0
"""plinth-conformance: every op of L4 and JAX's programs, checked against known results"""

import suite


def measure(rows) -> None:
    suite.measure(rows, "conformance, L4", "plinth_cuda", ["--cases", "L4/*"], None, 300)
