// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution F(TILE×TILE, 3×3): what the convolution and its gradient by weights share. Needs TILE, 2 or 4, and
// SRC_LOAD (clh/io.h).
#ifndef CLH_CONV_WINOGRAD_H
#define CLH_CONV_WINOGRAD_H

#if TILE != 2 && TILE != 4
#error "TILE is not 2 or 4"
#endif

#define PATCH (TILE + 2)

// Bᵀ in one dimension, in place: PATCH elements of src, `step` apart.
static inline void transform_source(float *x, int step)
{
#if TILE == 2
    const float a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
    x[0] = a - c;
    x[step] = b + c;
    x[2 * step] = c - b;
    x[3 * step] = b - d;
#else
    const float a = x[0], b = x[step], c = x[2 * step], d = x[3 * step], e = x[4 * step],
                f = x[5 * step];
    const float p = e - 4.0f * c, q = d - 4.0f * b, r = e - c, s = 2.0f * (d - b);
    x[0] = 4.0f * a - 5.0f * c + e;
    x[step] = p + q;
    x[2 * step] = p - q;
    x[3 * step] = r + s;
    x[4 * step] = r - s;
    x[5 * step] = 4.0f * b - 5.0f * d + f;
#endif
}

// V = Bᵀ·d·B of the patch of src whose first element, at `off`, has the position (h0, w0); outside of h × w src is 0.
// To v, `step` elements between those of a patch.
static inline void put_source_patch(__global float *v, long step, __global const SRC_T *src, long off, int h0, int w0,
        int h, int w, long h_step, long w_step)
{
    float x[PATCH * PATCH];
#pragma unroll
    for (int i = 0; i < PATCH; ++i) {
        const bool is_row = (uint)(h0 + i) < (uint)h;
        const long row = off + i * h_step;
#pragma unroll
        for (int j = 0; j < PATCH; ++j)
            x[i * PATCH + j] = is_row && (uint)(w0 + j) < (uint)w ? SRC_LOAD(src, row + j * w_step) : 0.0f;
    }
#pragma unroll
    for (int j = 0; j < PATCH; ++j) transform_source(x + j, PATCH);
#pragma unroll
    for (int i = 0; i < PATCH; ++i) transform_source(x + i * PATCH, 1);
#pragma unroll
    for (int k = 0; k < PATCH * PATCH; ++k) v[k * step] = x[k];
}

#endif
