// SPDX-License-Identifier: Apache-2.0
// Functions that a stock library exports for its own tests and older clients; no header of it
// declares them.
#include "dnnl_bridge.h"

// Called without parameters of known types; C lets a function ignore what it is passed.
DNNL_API dnnl_status_t dnnl_gemm_bf16bf16f32(void);
DNNL_API dnnl_status_t dnnl_impl_zero_pad(void);
DNNL_API dnnl_status_t dnnl_impl_notify_profiling_complete(void);

dnnl_status_t dnnl_gemm_bf16bf16f32(void)
{
    return bridge_lacks(__func__, "such product on host memory");
}

dnnl_status_t dnnl_impl_zero_pad(void)
{
    return bridge_lacks(__func__, "function that pads a memory with zeros");
}

dnnl_status_t dnnl_impl_notify_profiling_complete(void)
{
    return bridge_lacks(__func__, "need to be told of the end of a profile");
}
