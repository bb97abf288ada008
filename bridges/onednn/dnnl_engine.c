// SPDX-License-Identifier: Apache-2.0
// Engines.
#include "dnnl_bridge.h"

size_t dnnl_engine_get_count(dnnl_engine_kind_t kind)
{
    return prim_engine_get_count(kind);
}

dnnl_status_t dnnl_engine_create(dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index)
{
    bridge_read_environment();
    return prim_engine_create(engine, kind, index);
}

dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind)
{
    return prim_engine_get_kind(engine, (prim_engine_kind_t *)kind);
}

dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine)
{
    prim_engine_destroy(engine);
    return dnnl_success;
}
