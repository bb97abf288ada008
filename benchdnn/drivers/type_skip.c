// SPDX-License-Identifier: Apache-2.0
// The data types that the engines know.
#include "type_skip.h"

#include "core/bench_engine.h"

static bool is_known(prim_data_type_t dt)
{
    switch (dt) {
    case PRIM_DATA_TYPE_UNDEF: // the option was left out
    case PRIM_F16:
    case PRIM_BF16:
    case PRIM_F32:
    case PRIM_S32:
    case PRIM_S8:
    case PRIM_U8: return true;
    case PRIM_F64:
    case PRIM_F8_E5M2:
    case PRIM_F8_E4M3: return !engine_is_gpu();
    default: return false;
    }
}

skip_reason_t skip_types(const prb_t *prb, int first, int last)
{
    for (int option = first; option <= last; ++option) {
        for (int i = 0; i < opt_count(prb, option); ++i) {
            if (!is_known(opt_dt(prb, option, i))) return SKIP_DATA_TYPE_NOT_SUPPORTED;
        }
    }
    return SKIP_NONE;
}
