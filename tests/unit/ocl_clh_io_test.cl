// SPDX-License-Identifier: Apache-2.0
// Loads and stores of clh/io.h and clh/io_vec.h between an array of T and one of float.
// -D: T (prim__ocl_options_type()). Work-items guard n; the vector kernels take n/16 work-items of 16 elements.
#include "clh/io_vec.h"

__kernel void load(__global const T_T *x, __global float *named, __global float *any, long n)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    named[i] = T_LOAD(x, i);
    any[i] = load_any(x, i, T_DT);
}

__kernel void store(__global const float *x, __global T_T *named, __global T_T *any, long n)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    T_STORE(named, i, x[i]);
    store_any(any, i, T_DT, x[i]);
}

// Each width reads and writes the same 16 elements, from an address that is aligned to one only.
__kernel void load_vector(__global const T_T *x, __global float *y2, __global float *y4,
        __global float *y8, __global float *y16, long n)
{
    const long i = get_global_id(0) * 16;
    if (i >= n) return;
    for (int j = 0; j < 16; j += 2) vstore2(T_LOAD2(x, i + j + 1), 0, y2 + i + j);
    for (int j = 0; j < 16; j += 4) vstore4(T_LOAD4(x, i + j + 1), 0, y4 + i + j);
    for (int j = 0; j < 16; j += 8) vstore8(T_LOAD8(x, i + j + 1), 0, y8 + i + j);
    vstore16(T_LOAD16(x, i + 1), 0, y16 + i);
}

__kernel void store_vector(__global const float *x, __global T_T *y2, __global T_T *y4,
        __global T_T *y8, __global T_T *y16, long n)
{
    const long i = get_global_id(0) * 16;
    if (i >= n) return;
    for (int j = 0; j < 16; j += 2) T_STORE2(y2, i + j + 1, vload2(0, x + i + j));
    for (int j = 0; j < 16; j += 4) T_STORE4(y4, i + j + 1, vload4(0, x + i + j));
    for (int j = 0; j < 16; j += 8) T_STORE8(y8, i + j + 1, vload8(0, x + i + j));
    T_STORE16(y16, i + 1, vload16(0, x + i));
}

#if T_IS_INT
__kernel void load_int(__global const T_T *x, __global int *named, __global int *any, long n)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    named[i] = T_LOAD_INT(x, i);
    any[i] = load_int_any(x, i, T_DT);
}

__kernel void store_int(__global const long *x, __global T_T *named, __global T_T *any,
        __global T_T *saturated, long n)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    T_STORE_INT(named, i, x[i]);
    store_int_any(any, i, T_DT, x[i]);
    saturated[i] = T_SATURATE(x[i]);
}
#endif
