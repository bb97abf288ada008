// SPDX-License-Identifier: Apache-2.0
// What the tests of operations' creators share: descriptors from text, one engine and stream (the
// CPU's; GPU 0's with PRIM_TEST_ENGINE=gpu), the check of a refusal, and running a primitive on
// plain arrays.
#ifndef OP_TEST_H
#define OP_TEST_H

// cmocka.h needs these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <prim/prim.h>

/// What an untouched out-parameter still holds.
#define UNTOUCHED ((prim_desc_t *)(size_t)0x5a5a)

/// A tensor from text: "f32 abcd 2x3x4x5", "s8 any 7"; "" is the absent tensor, "r" a run-time
/// dimension.
prim_memory_desc_t op_md(const char *text);
/// The same, or NULL for NULL: the result lives in `storage`.
const prim_memory_desc_t *op_md_or_null(prim_memory_desc_t *storage, const char *text);

/// The engine and a stream, from setup to teardown (for cmocka_run_group_tests).
extern prim_engine_t *op_engine;
extern prim_stream_t *op_stream;
int op_setup(void **state);
int op_teardown(void **state);

/// `pd` is what the creator made of UNTOUCHED: on success it is destroyed, else it must be
/// untouched and the last error a sentence.
void op_expect(const char *name, prim_status_t got, prim_status_t expected, prim_desc_t **pd);

/// The layout of the descriptor that `arg` has at execution.
void op_expect_tag(const prim_desc_t *pd, int arg, const char *expected);

typedef prim_status_t (*op_create_t)(prim_desc_t **pd, const prim_attr_t *attr);
/// All four kinds of post-ops in one chain are taken: a sum, a function, a binary one with the
/// tensor `operand`, a PReLU of `prelu_mask`. An operand of the shape of `wrong` is refused.
void op_expect_post_ops(op_create_t create, const char *operand, const char *wrong, int prelu_mask);

/// A memory over the caller's array or, on a device, a copy of it, which op_run() copies back.
prim_memory_t *op_memory(const prim_memory_desc_t *md, void *data);
/// Creates the primitive of `pd`, executes it, destroys primitive, descriptor and memories.
void op_run(prim_desc_t *pd, int nargs, prim_arg_t *args);

#endif
