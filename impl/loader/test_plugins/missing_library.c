// SPDX-License-Identifier: Apache-2.0
__attribute__((visibility("default"))) int plinth_test_missing(void);

int plinth_test_missing(void) { return 0; }
