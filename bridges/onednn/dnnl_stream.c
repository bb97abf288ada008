// SPDX-License-Identifier: Apache-2.0
// Streams, and the times that they record.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags)
{
    return prim_stream_create(stream, engine, flags);
}

dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine)
{
    return prim_stream_get_engine(stream, engine);
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream)
{
    return prim_stream_wait(stream);
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream)
{
    prim_stream_destroy(stream);
    return dnnl_success;
}

dnnl_status_t dnnl_reset_profiling(dnnl_stream_t stream)
{
    return prim_stream_reset_profile(stream);
}

dnnl_status_t dnnl_query_profiling_data(dnnl_stream_t stream, dnnl_profiling_data_kind_t data_kind,
        int *num_entries, uint64_t *data)
{
    if (data_kind != dnnl_profiling_data_kind_time)
        return bridge_lacks(__func__, "profiling data but times");
    return prim_stream_get_profile(stream, num_entries, data);
}
