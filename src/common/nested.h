// SPDX-License-Identifier: Apache-2.0
// Primitives inside primitives: an implementation leaves its work, or a part of it, to those of
// another operation. A softmax over a product of matrices, say:
//
//     enum { PRODUCT, SOFTMAX }; // slots, from 0 on
//
//     static prim_status_t init_pd(prim_desc_t *pd)
//     {
//         …
//         const prim_memory_desc_t *const mds[] = {&a, &b, NULL, &scores};
//         const request_t request = {.mds = mds, .attr = &attr};
//         TRY(prim__nested_desc(pd, PRODUCT, &prim__matmul_schema, &op, &request));
//         TRY(prim__nested_desc(pd, SOFTMAX, …));
//         p->scores = prim__pd_book_scratchpad(pd, prim__md_bytes(&scores));
//         …
//     }
//
//     static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
//     {
//         nested_run_t run;
//         prim__nested_begin(&run, primitive, ctx, PRODUCT);
//         prim__nested_pass(&run, PRIM_ARG_SRC, PRIM_ARG_SRC_0);
//         prim__nested_pass(&run, PRIM_ARG_WEIGHTS, PRIM_ARG_SRC_1);
//         prim__nested_pass_view(&run, PRIM_ARG_DST, PRIM_ARG_SCRATCHPAD, p->scores);
//         TRY(prim__nested_execute(&run));
//         …
//     }
//
//     const impl_t prim__ocl_attention_composed = {…, .nests = &prim__matmul_schema};
//
// A nested descriptor is part of its parent: copied, compared, hashed and destroyed with it, and in
// its cache blob. The nested primitive is made with the parent, before init, and belongs to it: two
// parents share programs (the engine's cache has them), not primitives, so that what the user keeps
// in the primitive cache is what he created. Users, log lines, profiles and recordings see one
// execution, the parent's; the parent's name says what runs inside (prim__pd_name()).
//
// The walk over a list of implementations (prim_desc_next_impl(), benchdnn --impl=) asks a parent
// once for each implementation of its slot 0; further slots take the best one, and so does slot 0
// of a parent without impl_t.nests.
#ifndef PRIM_COMMON_NESTED_H
#define PRIM_COMMON_NESTED_H

#include <stddef.h>

#include "common/ops/schema.h"
#include "common/ops/schema_create.h"

enum {
    MAX_NESTED_PLACES = 128, ///< arguments of a nested problem
    MAX_NESTED_VIEWS = 4     ///< of one execution, its scratchpad among them
};

/// Attributes for a nested problem in the caller's storage: the parent's, but for the scratchpad,
/// which is part of the parent's. Change what the nested problem has otherwise; prim__attr_fini().
prim_status_t prim__nested_attr_init(prim_attr_t *attr, const prim_desc_t *pd);

/// In init_pd, for slots in their order: creates the descriptor of a problem on the parent's
/// engine, or, while the walk is at slot 0, moves it on to its next implementation. The schema of
/// slot 0 is impl_t.nests, unless that is NULL. Layouts `any` of the request are settled
/// afterwards: prim__nested_md(). init_pd returns what this returns:
/// @retval PRIM_UNIMPLEMENTED no implementation takes the problem, a faster parent is wanted, or
///         dimensions are known at execution only; PRIM_QUERY_DECLINED_STR and the log have the
///         sentences of those that declined inside
/// @retval PRIM_LAST_IMPL_REACHED the walk has been through all implementations inside
prim_status_t prim__nested_desc(prim_desc_t *pd, int slot, const op_schema_t *schema,
        const op_desc_t *op, const request_t *request);

/// A tensor of the nested problem, its layout chosen.
const prim_memory_desc_t *prim__nested_md(const prim_desc_t *pd, int slot, int arg);

/// Room for a memory that is made for one execution.
typedef struct {
    _Alignas(max_align_t) unsigned char bytes[MEMORY_VIEW_BYTES];
} memory_view_t;

/// One execution of a nested primitive, on the stack of the parent's: nothing is allocated.
typedef struct {
    const prim_t *primitive; ///< the nested one
    const prim_desc_t *parent;
    const exec_ctx_t *outer; ///< of the parent's execution
    exec_ctx_t ctx;
    int nviews;
    prim_memory_t *memory[MAX_NESTED_PLACES]; ///< by the nested problem's places
    memory_view_t views[MAX_NESTED_VIEWS];
} nested_run_t;

/// Starts with no argument.
void prim__nested_begin(
        nested_run_t *run, const prim_t *primitive, const exec_ctx_t *ctx, int slot);
/// The nested argument is the memory of the parent's argument `from`, of which nothing but the
/// shape differs: type, offset0 and the number of elements are equal. Nothing if the nested problem
/// has no such argument.
void prim__nested_pass(nested_run_t *run, int arg, int from);
/// The nested argument is what lies `offset_bytes` behind the start of the memory of the parent's
/// argument `from`, the scratchpad's too; the nested descriptor's offset0 is added to that. No
/// image.
void prim__nested_pass_view(nested_run_t *run, int arg, int from, size_t offset_bytes);
/// The values of scales and zero points and the operands of post-ops are the parent's: both have
/// the same attributes, as far as arguments go.
void prim__nested_pass_attr(nested_run_t *run);
/// Executes as a part of the parent's execution, behind what it submitted before.
prim_status_t prim__nested_execute(nested_run_t *run);

#endif
