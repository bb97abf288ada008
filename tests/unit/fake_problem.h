// SPDX-License-Identifier: Apache-2.0
// A small problem and a second engine for the tests of dispatch, cache and execution.
#ifndef FAKE_PROBLEM_H
#define FAKE_PROBLEM_H

#include "common/dispatch.h"

/// dst = f(src) over f32 vectors, as an eltwise descriptor function would pass it on.
typedef struct {
    op_desc_t op;
    tensor_t tensors[2];
} fake_problem_t;

/// `n` elements; dst has layout `any`.
fake_problem_t fake_problem(prim_dim_t n);

/// The CPU engine; fails the test if it cannot be opened.
prim_engine_t *fake_open_cpu(void);

/// An engine of the CPU backend that is not the CPU engine: foreign to everything else. Lives in
/// the caller's storage and is never destroyed.
void fake_foreign_engine(prim_engine_t *engine);

/// prim__desc_create_from() that fails the test when it fails.
prim_desc_t *fake_desc(const impl_t *const *list, const fake_problem_t *problem,
        prim_engine_t *engine, const prim_attr_t *attr);

/// A library-owned memory on `engine`; fails the test when there is none.
prim_memory_t *fake_memory(const prim_memory_desc_t *md, prim_engine_t *engine);

/// A descriptor from "f32:acdb:2x3x4x5"; "r" is a run-time dimension.
prim_memory_desc_t fake_md(const char *text);

#endif
