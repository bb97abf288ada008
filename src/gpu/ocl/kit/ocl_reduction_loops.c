// SPDX-License-Identifier: Apache-2.0
// Loops of reductions, by their kind.
#include "ocl_reduction_loops.h"

#include "common/int_math.h"
#include "ocl_channels.h"

enum { FROM, TO };

static void add_loop(ocl_reduction_data_t *data, const loops_t *loops, int l)
{
    const int64_t extent = loops->extents[l], in_src = loops->strides[FROM][l];
    if (loops->strides[TO][l] == 0) {
        data->reduced_extents[data->nloops] = extent;
        data->reduced_src[data->nloops++] = in_src;
        data->nouter *= extent;
    } else {
        data->kept_extents[data->nkept] = extent;
        data->kept_src[data->nkept] = in_src;
        data->kept_dst[data->nkept++] = loops->strides[TO][l];
    }
}

prim_status_t prim__ocl_reduction_loops(
        ocl_reduction_data_t *data, prim_desc_t *pd, const loops_t *loops, int vec)
{
    const int inner = loops->n - 1;
    REQUIRE(pd, loops->n <= REDUCTION_LOOPS, "src has %d loops, more than %d", loops->n,
            REDUCTION_LOOPS);
    data->inner = loops->extents[inner];
    data->nouter = 1;
    data->is_whole = data->inner % vec == 0;
    for (int l = 0; l < inner; ++l) {
        add_loop(data, loops, l);
        data->is_whole = data->is_whole && loops->strides[FROM][l] % vec == 0;
    }
    data->by_row = prim__ocl_divisor((int32_t)prim__ceil_div(data->inner, vec));
    return PRIM_SUCCESS;
}
