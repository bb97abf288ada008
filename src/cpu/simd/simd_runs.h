// SPDX-License-Identifier: Apache-2.0
// The sums of a direct convolution with channels last: what the taps show to a pixel of dst are
// runs of contiguous elements, the same number for every pixel, and the same distances apart.
#ifndef PRIM_CPU_SIMD_RUNS_H
#define PRIM_CPU_SIMD_RUNS_H

#include "common/impl.h"
#include "simd_level.h"

enum {
    SIMD_RUNS_LANES = 16,   ///< words that rows of weights end with a multiple of
    SIMD_RUNS_CHANNELS = 4, ///< of dst whose dot products are computed at a time
    SIMD_RUNS_PIXELS = 16,  ///< of a tile
    SIMD_RUNS_MOST = 512,   ///< pixels of a call by callers that have room for so many
    SIMD_RUNS_SLACK = 64,   ///< bytes behind the pixels of a tile that may be read
};

/// sums[i·sums_row + o] = Σ x[pixels[i] + runs[r] + e] · weights(o, r, e) over r < nruns, e < elems
/// for i < npixels, o < nchannels. Offsets are in elements: f32, or bf16, two of which are a word
/// of 32 bits, or bytes, u8 in x and s8 in weights, whose runs may be read up to whole words.
typedef struct {
    const void *x;
    const prim_dim_t *pixels, *runs;
    prim_dim_t npixels, nruns, elems;
    const float *wei;   ///< words, zeros beyond the elements of a run
    prim_dim_t wei_row; ///< words of one channel, or of one panel
    float *sums;
    prim_dim_t sums_row, nchannels;
    bool keeps_integers; ///< sums of bytes by tiles are s32; else they become f32
    bool accumulates;    ///< `multiply` adds to the sums that are there; of f32 alone
    /// Of tiles alone, which have pixels i, i + next, i + 2·next and so on, `step` elements apart:
    /// neighbours in a row (next is 1, and the call may have parts of rows) or in a column (next is
    /// the pixels of a row, and the call has whole rows). Whole tiles are read, beyond the last
    /// pixel, too.
    prim_dim_t next, step;
} simd_runs_t;

typedef struct {
    int lanes; ///< channels of a panel
    /// Vectors run along channels; panels of weights [run][word][lanes].
    void (*multiply)(const simd_runs_t *a);
    /// Vectors run along the runs; rows of weights [run][words up to a multiple of
    /// SIMD_RUNS_LANES]. NULL: of bytes, and by tiles.
    void (*dots)(const simd_runs_t *a);
    /// What a thread does around its calls of `multiply` with runs of `elems`. NULL: nothing.
    void (*begin)(prim_dim_t elems);
    void (*end)(void);
} simd_runs_code_t;

SIMD_DECLARE(simd_runs_code_t, prim__simd_runs_code);
#if PRIM_X64
extern const simd_runs_code_t prim__simd_runs_code_bf16;  ///< from CPU_ISA_AVX512_BF16 on
extern const simd_runs_code_t prim__simd_runs_code_bytes; ///< from CPU_ISA_AVX512_VNNI on
/// @name By tiles, from CPU_ISA_AVX512_AMX on; without `dots`
/// @{
extern const simd_runs_code_t prim__simd_runs_tiles_bf16, prim__simd_runs_tiles_bytes;
/// @}
#endif

#endif
