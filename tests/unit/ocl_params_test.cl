// SPDX-License-Identifier: Apache-2.0
// One kernel with a parameter of each kind that the library passes. -D: none.
typedef struct {
    long a;
    int b, c;
} pair_t;

// y[y_off] = i + l + f + the struct's members + the first word of the local memory, which is i.
__kernel void every_kind(__global long *y, long y_off, int i, float f, pair_t pair,
        __local int *room, __constant int *table)
{
    room[0] = i;
    y[y_off] = i + (long)f + pair.a + pair.b + pair.c + room[0] + table[0];
}

// The same with the second and third parameter swapped.
__kernel void swapped(__global long *y, int i, long y_off, float f, pair_t pair,
        __local int *room, __constant int *table)
{
    room[0] = i;
    y[y_off] = i + (long)f + pair.a + pair.b + pair.c + room[0] + table[0];
}

__kernel void with_image(__global long *y, __read_only image2d_t image)
{
    y[0] = get_image_width(image);
}

// As a tensor of floats comes.
__kernel void scaled(__global float *y, long y_off, float scale, int n)
{
    for (int i = 0; i < n; ++i) y[y_off + i] *= scale;
}
