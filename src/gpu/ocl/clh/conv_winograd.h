// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution F(TILE×TILE, 3×3): what the convolution and its gradient by weights share. Needs TILE, 2 or 4.
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

#endif
