// SPDX-License-Identifier: Apache-2.0
// Windows of local response normalisation, for kernels that take any layout:
//
//     long at[MAX_NDIMS];
//     lrn_window_start(at, data, pos);
//     for (bool is_inside = true; is_inside; is_inside = lrn_window_next(at, data, pos)) { … at … }
#ifndef CLH_LRN_H
#define CLH_LRN_H

#include "clh/md.h"
#include "clh/shared/lrn_any_data.h"

static inline void lrn_window_start(long *at, __constant const ocl_lrn_any_data_t *data, const long *pos)
{
    for (int d = 0; d < data->to.ndims; ++d) {
        const bool is_inside = d >= data->first_dim && d < data->first_dim + data->naxes;
        at[d] = is_inside ? max(pos[d] - data->reach, 0L) : pos[d];
    }
}

// False behind the last element of the window around pos.
static inline bool lrn_window_next(long *at, __constant const ocl_lrn_any_data_t *data, const long *pos)
{
    bool has_more = false;
    for (int d = data->first_dim + data->naxes - 1; d >= data->first_dim && !has_more; --d) {
        has_more = ++at[d] <= min(pos[d] + data->reach, data->to.dims[d] - 1);
        if (!has_more) at[d] = max(pos[d] - data->reach, 0L);
    }
    return has_more;
}

#endif
