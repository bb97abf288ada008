// SPDX-License-Identifier: Apache-2.0
// Kernels that show which arguments a launch had. -D: FAIL = 1 does not compile.
#if FAIL
#error "this program is meant to fail"
#endif

typedef struct {
    long a;
    int b;
    float c;
} pair_t;

// Each work-item adds a sum of all arguments to its own element.
__kernel void add(__global long *y, long y_off, int i, long l, float f, pair_t pair,
        __global const long *optional)
{
    const long id = get_global_id(0);
    y[y_off + id] += i + l + (long)f + pair.a + pair.b + (long)pair.c + (optional ? optional[0] : 0);
}

// Writes a mark, then a later kernel checks it: finds executions whose scratch memory was shared.
__kernel void mark(__global long *scratch, long scratch_off, long value, long n)
{
    const long id = get_global_id(0);
    if (id < n) scratch[scratch_off + id] = value;
}

__kernel void check(__global const long *scratch, long scratch_off, long value, long n,
        __global int *nwrong, long nwrong_off)
{
    const long id = get_global_id(0);
    if (id < n && scratch[scratch_off + id] != value) atomic_inc(nwrong + nwrong_off);
}
