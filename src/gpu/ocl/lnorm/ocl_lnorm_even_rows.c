// SPDX-License-Identifier: Apache-2.0
#include "ocl_lnorm_even_rows.h"

extern const ocl_source_t prim__ocl_lnorm_even_rows_cl;

prim_status_t prim__ocl_lnorm_add_even_rows(ocl_primitive_t *p, const ocl_options_t *options)
{
    return prim__ocl_primitive_add_kernel(
            p, &prim__ocl_lnorm_even_rows_cl, options, "lnorm_even_rows");
}
