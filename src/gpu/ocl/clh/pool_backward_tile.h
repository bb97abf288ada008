// SPDX-License-Identifier: Apache-2.0
// Windows without dilation over a tile of ROWS × COLS elements of diff_src, sizes known to the compiler: those that
// reach over it, and which tap of which window lies on which element. Rows of tiles begin at multiples of ROWS,
// columns at those of COLS; strides divide both, so that all tiles look alike.
// -D: KH, KW (window), SH, SW (strides), PH, PW (padding in front modulo the strides), ROWS, COLS.
#ifndef CLH_POOL_BACKWARD_TILE_H
#define CLH_POOL_BACKWARD_TILE_H

#include "clh/pool_gather.h"

#if ROWS % SH || COLS % SW || PH >= SH || PW >= SW
#error "strides divide tiles, padding is modulo the strides"
#endif

// ⌊a / b⌋ for a ≥ −64·b
#define FLOOR_DIV(a, b) (((a) + 64 * (b)) / (b) - 64)
// The first window over a tile whose first element is tap `phase` of window 0, and how many there are.
#define FIRST_WINDOW(phase, taps, stride) (-FLOOR_DIV((taps) - 1 - (phase), stride))
#define COUNT_WINDOWS(phase, taps, stride, size) \
    (((phase) + (size) - 1) / (stride) - FIRST_WINDOW(phase, taps, stride) + 1)

#define FIRST_OH FIRST_WINDOW(PH, KH, SH)
#define FIRST_OW FIRST_WINDOW(PW, KW, SW)
#define NOH COUNT_WINDOWS(PH, KH, SH, ROWS)
#define NOW COUNT_WINDOWS(PW, KW, SW, COLS)
// The tap of the tile's i-th window that lies on its r-th row or column; of use if it is one of the window's.
#define TAP_H(r, i) (PH + (r) - (FIRST_OH + (i)) * SH)
#define TAP_W(c, j) (PW + (c) - (FIRST_OW + (j)) * SW)
#define IS_TAP_H(r, i) (TAP_H(r, i) >= 0 && TAP_H(r, i) < KH)
#define IS_TAP_W(c, j) (TAP_W(c, j) >= 0 && TAP_W(c, j) < KW)

// The windows of a tile along one axis: where they lie in diff_dst, the nearest ones for those that do not exist.
typedef struct {
    int at;
    int ntaps; // inside diff_src
    bool is_there;
} window_t;

static inline window_t window_at(SIZES_SPACE const ocl_pool_axis_t *axis, int o, int taps)
{
    window_t w = {clamp(o, 0, axis->out - 1), 1, o >= 0 && o < axis->out};
#if ALG == POOL_AVG_EXCLUDE
    const int start = w.at * axis->stride - axis->pad;
    w.ntaps = min(start + taps, axis->in) - max(start, 0);
#endif
    return w;
}

#endif
