// SPDX-License-Identifier: Apache-2.0
// Turns inputs of a problem that is drawn into broadcasts.
#ifndef PRIM_TESTS_PROBLEM_BROADCAST_H
#define PRIM_TESTS_PROBLEM_BROADCAST_H

#include "problem_draw.h"

/// Gives some inputs of the problem stride 0 in some dimensions, and notes which.
void problem_broadcast(draw_t *d, const char *driver);

#endif
