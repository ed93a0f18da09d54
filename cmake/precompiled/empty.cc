// SPDX-License-Identifier: Apache-2.0
// Precompiled headers need a target, and a target needs a source.
