// SPDX-License-Identifier: Apache-2.0
// The base of OpenCL primitives: kernels and constant buffers with one destructor, and the checks
// that every init_pd needs. This is the header an OpenCL implementation starts from.
//
//     static prim_status_t init(prim_t *primitive)
//     {
//         ocl_primitive_t *p = (ocl_primitive_t *)primitive;
//         const my_pd_t *pd = (const my_pd_t *)primitive->pd;
//         ocl_options_t options;
//         prim__ocl_options_init(&options);
//         …
//         TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_my_any_cl, &options, "my_any"));
//         const my_data_t data = {…};                            // of clh/shared/, as the kernel
//         return prim__ocl_primitive_add_data(p, &data, sizeof data);
//     }
//     const impl_t prim__ocl_my_any = {"ocl:my:any", sizeof(my_pd_t), sizeof(ocl_primitive_t),
//             init_pd, init, execute, prim__ocl_primitive_fini};
//
// What init_pd computes for init and execute goes into the pd's struct, not into the primitive's.
#ifndef PRIM_OCL_PRIMITIVE_H
#define PRIM_OCL_PRIMITIVE_H

#include "gpu/ocl/launch/ocl_launch.h"
#include "ocl_on_demand.h"

enum { OCL_MAX_KERNELS = 8, OCL_MAX_DATA = 8 };

typedef struct {
    prim_t base;
    int nkernels, ndata;
    ocl_kernel_t *kernels[OCL_MAX_KERNELS]; ///< owned, in the order they were added
    cl_mem data[OCL_MAX_DATA];              ///< owned, read-only, in the order they were added
    cl_mem post_ops;                        ///< owned; NULL without a chain
    ocl_on_demand_t *on_demand;             ///< owned; NULL without such a kernel
} ocl_primitive_t;

_Static_assert(offsetof(ocl_primitive_t, base) == 0, "the base comes first");

/// Builds the kernel as kernels[nkernels++]. A fixed number of calls, at most OCL_MAX_KERNELS.
prim_status_t prim__ocl_primitive_add_kernel(ocl_primitive_t *primitive, const ocl_source_t *source,
        const ocl_options_t *options, const char *name);
/// Adds the kernel that few executions need; they get it by prim__ocl_on_demand_get(p->on_demand).
/// At most one.
prim_status_t prim__ocl_primitive_add_on_demand(ocl_primitive_t *primitive,
        const ocl_source_t *source, const ocl_options_t *options, const char *name);
/// What init_pd counted as the local memory of the kernel that was added last. If the built kernel
/// has more, a warning in the log says so, and debug builds stop: the choice of tiles is wrong.
void prim__ocl_primitive_expect_local(const ocl_primitive_t *primitive, uint64_t counted_bytes);
/// Uploads `bytes` of constant data as data[ndata++]: `__constant my_data_t *` in the kernel (pass
/// it with prim__ocl_args_buffer()).
prim_status_t prim__ocl_primitive_add_data(
        ocl_primitive_t *primitive, const void *data, size_t bytes);
/// impl_t.fini of every OpenCL implementation; takes half-made ones.
void prim__ocl_primitive_fini(prim_t *primitive);

/// Adds the types SRC and DST (prim__ocl_options_type()).
void prim__ocl_options_src_dst(ocl_options_t *options, const prim_desc_t *pd);
/// Adds the types WEI and BIA, which is f32 without bias, and HAS_BIAS.
void prim__ocl_options_weights(ocl_options_t *options, const prim_desc_t *pd);

/// @name Checks for init_pd
/// @{

/// Declines unless every tensor of the problem and every operand of the chain has a type that
/// kernels read and write; the sentence names the first that has not.
prim_status_t prim__ocl_require_types(prim_desc_t *pd);
/// Declines if some tensor's layout is opaque, or has run-time dimensions unless they are allowed.
prim_status_t prim__ocl_require_layouts(prim_desc_t *pd, bool allows_runtime);
/// Whether every tensor and operand spans less than 2³¹ elements, so that 32-bit indices reach all.
bool prim__ocl_fits_i32(const prim_desc_t *pd);

/// @}

#endif
