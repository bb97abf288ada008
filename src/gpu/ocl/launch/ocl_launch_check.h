// SPDX-License-Identifier: Apache-2.0
// The launches of an implementation against the kernels that its init built, before the user has
// the primitive. What a launch passes is written once, in the implementation's execute(): that runs
// with placeholders for the memories, and its launches compare the number of arguments, their kinds
// and the sizes of values with the kernel's parameters instead of enqueueing.
#ifndef PRIM_OCL_LAUNCH_CHECK_H
#define PRIM_OCL_LAUNCH_CHECK_H

#include "common/impl.h"

/// engine_ops_t.primitive_check. Left out, for the launch to check: problems with run-time
/// dimensions, whose launches depend on these, and reorders from or to another engine.
prim_status_t prim__ocl_launch_check(const prim_t *primitive);

#endif
