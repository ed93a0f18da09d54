// SPDX-License-Identifier: Apache-2.0
// A shared library needs a source of its own; what it is made of is plinth_ifrt_arrays.
