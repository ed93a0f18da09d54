// SPDX-License-Identifier: Apache-2.0
// What most tests include.
#ifndef PLINTH_CMAKE_PRECOMPILED_TEST_H_
#define PLINTH_CMAKE_PRECOMPILED_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "cmake/precompiled/library.h"

#endif  // PLINTH_CMAKE_PRECOMPILED_TEST_H_
