// SPDX-License-Identifier: Apache-2.0
// What the generators of problems share. A problem is a style (types, layouts, attributes, ranks:
// what kernels are compiled for) and sizes; both are drawn from generators of their own, so that
// many problems have one style and share its programs. Each draw that tests have to cover is noted
// as an option, such as `dt=f16` or `binary=sub`.
#ifndef PRIM_TESTS_PROBLEM_DRAW_H
#define PRIM_TESTS_PROBLEM_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "prim/prim_types.h"

enum { LINE_BYTES = 1024, OPTIONS_BYTES = 2048 };

/// A problem that is being drawn.
typedef struct {
    uint32_t style, size;           ///< states of the two generators
    bool is_gpu;                    ///< the engine has images
    const struct op_schema *schema; ///< of the operation's forward pass: which attributes it takes
    const int *tiles;               ///< sizes of tiles of the operation's implementations
    int ntiles;
    char line[LINE_BYTES];       ///< options and descriptor of benchdnn
    char options[OPTIONS_BYTES]; ///< separated by blanks; of sizes at edges of tiles `#n=65`
} draw_t;

/// Starts a problem. The same seeds give the same problem everywhere.
void draw_start(draw_t *d, uint32_t style_seed, uint32_t size_seed);

/// One of 0 to n − 1, of the style.
uint32_t pick(draw_t *d, uint32_t n);
#define PICK(d, array) ((array)[pick((d), sizeof(array) / sizeof *(array))])
/// True once in n times, of the style.
bool once_in(draw_t *d, uint32_t n);
/// One of 0 to n − 1, of the sizes.
uint32_t pick_size(draw_t *d, uint32_t n);

/// A data type that element by element is computed with on the engine.
const char *draw_type(draw_t *d);
/// A size from 1 to `most`: one more or less than a tile or a power of 2, or a prime. Notes
/// `#name=` at an edge of a tile.
int size_of(draw_t *d, const char *name, int most);
/// 1 to 5, of the sizes.
int small(draw_t *d);

/// Appends to the line.
void put(draw_t *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Notes an option.
void note(draw_t *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// Appends ` --name=value` and notes `name=value`.
void set(draw_t *d, const char *name, const char *value);

/// A layout for any rank from 1: plain, channels last, or blocked with padding.
const char *layout(draw_t *d, int ndims);
/// Ranks from 1 to 12, most of them 2 to 5; notes `ndims=`.
int rank(draw_t *d, int least, int most);
/// Sizes of a tensor of so many dimensions, a few thousand elements in all; appends them.
void put_dims(draw_t *d, int ndims, int *dims);
/// Appends sizes that broadcast over `of`, and notes how.
void put_broadcast(draw_t *d, int ndims, const int *of);
/// Writes element strides of a row-major tensor whose rows are `gap` elements further apart than
/// they are long, as AxBxC.
void strides_text(char *text, size_t bytes, int ndims, const int *dims, int gap);

/// Kinds of steps of a chain; CHAIN_ORDER: comparisons may stand first, because the operation's own
/// result is exact or no border case.
enum {
    CHAIN_ELTWISE = 1,
    CHAIN_BINARY = 2,
    CHAIN_SUM = 4,
    CHAIN_PRELU = 8,
    CHAIN_STEPS = 15,
    CHAIN_ORDER = 16,
};

/// The kinds of steps that the schema allows.
unsigned allowed_steps(const draw_t *d);
/// Draws --attr-post-ops for a destination of this type and rank; empty without a kind of steps.
void draw_chain(draw_t *d, unsigned kinds, const char *ddt, int ndims);

/// What scales or zero points an argument may have.
typedef struct {
    const char *arg;
    const char *policies[6]; ///< a policy, or policy/KxN for groups; ends with NULL
} quant_choice_t;

/// Draws --attr-scales; `choices` ends with an entry without an argument. NULL: of every tensor
/// that the schema gives scales, one of its masks.
void draw_scales(draw_t *d, const quant_choice_t *choices);
/// The same for --attr-zero-points.
void draw_zero_points(draw_t *d, const quant_choice_t *choices);
/// Draws --attr-fpmath, --attr-acc-mode and --attr-scratchpad.
void draw_modes(draw_t *d);

/// The type of dst in src[:wei:dst].
const char *last_type(const char *types);
bool is_integer_type(const char *type);

#endif
