// SPDX-License-Identifier: Apache-2.0
// The words of benchdnn commands: a schema lists those of its operation, in benchdnn's order. A
// word of SRC, WEIGHTS, BIAS or DST speaks of the gradient where a backward pass has only this.
// verbose_repro.c and verbose_repro_words.c write them.
#ifndef PRIM_COMMON_VERBOSE_REPRO_WORDS_H
#define PRIM_COMMON_VERBOSE_REPRO_WORDS_H

#include "common/ops/schema.h"
#include "text_buffer.h"

/// An algorithm by benchdnn's own name for it.
typedef struct {
    prim_alg_kind_t alg; ///< PRIM_ALG_UNDEF ends the list
    const char *word;
} repro_alg_t;

/// A word, or a few that belong together.
struct repro_word {
    /// NULL of the attributes and of the end of the list.
    void (*add)(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word);
    const char *text;        ///< what comes before the value: " --sdt=", ":"
    int arg;                 ///< the tensor that is spoken of
    const int *args;         ///< several of them; PRIM_ARG_UNDEF ends the list
    const repro_alg_t *algs; ///< repro_alg: NULL takes the name without the operation
    size_t offset;           ///< of a parameter in op_desc_t
    bool is_attr;            ///< no word of the operation's: --attr-…, for everything that is set
};

typedef void repro_add_t(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word);

/// @name Options
/// @{

repro_add_t prim__repro_dir;   ///< --dir=FWD_I, BWD_D …
repro_add_t prim__repro_type;  ///< data type of `arg`; nothing when it is absent
repro_add_t prim__repro_types; ///< of each of the repeated tensor `arg`, a colon between them
repro_add_t prim__repro_tag;   ///< layout of `arg`: "any", or its name
repro_add_t prim__repro_tags;  ///< of each of the repeated tensor `arg`
repro_add_t prim__repro_holes; ///< a layout that repro_strides describes if it has gaps: "any" then
repro_add_t prim__repro_strides; ///< --strides=, of the `args` that have gaps; or nothing
repro_add_t prim__repro_alg;
repro_add_t prim__repro_int;
repro_add_t prim__repro_float;
repro_add_t prim__repro_norm_flags; ///< the letters of a normalisation's flags

/// @}
/// @name Problems
/// @{

repro_add_t prim__repro_shape;   ///< 2x3x4 of `arg`
repro_add_t prim__repro_shapes;  ///< of each of the repeated tensor `arg`
repro_add_t prim__repro_images;  ///< mb2ic3 of `arg`
repro_add_t prim__repro_outputs; ///< oc4 of `arg`
repro_add_t prim__repro_inputs;  ///< ih5iw6 of `arg`

/// @}
/// @name For words of one operation
/// @{

/// Size and letter of spatial dimension `i` of `n`: the last one is always the width.
char prim__repro_letter(int i, int n);
/// _ih5oh3kh3sh1dh0ph0 for each spatial dimension; `kernel` from its first spatial dimension on.
void prim__repro_add_windows(text_buffer_t *out, const prim_desc_t *pd, const prim_dim_t *kernel);
/// Bits of the dimensions that are known at execution only.
int prim__repro_runtime_mask(const prim_desc_t *pd, int arg);
/// Bits of the dimensions that a broadcast operand has in full.
int prim__repro_broadcast_mask(const prim_memory_desc_t *md, const prim_memory_desc_t *full);
/// Adds `text` and the algorithm's name without the operation; "…_dst" for the long ending.
void prim__repro_add_alg(text_buffer_t *out, const char *text, prim_alg_kind_t alg);

/// @}

#endif
