// SPDX-License-Identifier: Apache-2.0
// Random problems for every operation, as lines of benchdnn: sizes at edges (1, 2ⁿ ± 1, primes,
// tiles), layouts, data types, attributes.
#ifndef PRIM_TESTS_PROBLEM_GEN_H
#define PRIM_TESTS_PROBLEM_GEN_H

#include "prim/prim.h"
#include "problem_draw.h"

/// A kind of problem: what one or a few implementations were written for, or any.
typedef void (*family_t)(draw_t *d);

enum { MAX_FAMILIES = 8 };
/// Styles that have numbers from FIRST_RARE_STYLE to 999 in each thousand: what few problems have
/// takes none from the families that were there before. Behind them BROADCAST_STYLES have inputs
/// with strides of 0.
enum { RARE_STYLES = 40, BROADCAST_STYLES = 160, FIRST_RARE_STYLE = 800 };

/// A large problem of the operation, number `which` of NPROBES, for which implementations offer all
/// sizes of tiles that they have; NULL where it cannot be made.
typedef prim_desc_t *(*probe_t)(prim_engine_t *engine, int which);

enum { NPROBES = 9 };

/// A benchdnn driver, the operation it drives, and its families; the first takes half the draws,
/// the others share the rest. All that check_impls knows of an operation beside its schema.
typedef struct {
    const char *driver;
    prim_primitive_kind_t kind;
    family_t families[MAX_FAMILIES]; ///< ends with NULL
    family_t image;                  ///< tensors are images (GPU engines); NULL: none
    family_t rare; ///< of the styles of which RARE_STYLES follow the others; NULL: none
    /// Of one in three of the styles with strides of 0: what few of the families' problems are, and
    /// some implementations take alone; NULL: none.
    family_t broadcast;
    probe_t probe; ///< NULL: implementations have no tiles
    /// What is in a nested list and never inside: "<word>", or "<word>+<word>" of an outer and an
    /// inner implementation. Ends with NULL; NULL: nothing.
    const char *const *never_nested;
} generator_t;

/// Of each operation; problems/<word>_problems.c defines <word>_generator.
extern const generator_t *const problem_generators[];
extern const int problem_ngenerators;

/// What probes differ in: f32, f16 and bytes with f32 results, by turns.
prim_data_type_t probe_type(int which);
prim_data_type_t probe_dst_type(int which);
prim_memory_desc_t probe_md(
        int ndims, const prim_dim_t *dims, prim_data_type_t type, const char *tag);

/// Draws a problem of the style into `d`, whose engine and tiles are set.
void problem_draw(draw_t *d, const generator_t *generator, uint32_t style, uint32_t size);

#endif
