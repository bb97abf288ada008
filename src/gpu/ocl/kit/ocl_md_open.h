// SPDX-License-Identifier: Apache-2.0
// What is known at creation of tensors and settings with run-time dimensions (clh/md_open.h).
#ifndef PRIM_OCL_MD_OPEN_H
#define PRIM_OCL_MD_OPEN_H

#include "common/attr.h"
#include "common/memory_desc.h"
#include "gpu/ocl/clh/shared/md_open_data.h"

ocl_md_open_t prim__ocl_md_open(const prim_memory_desc_t *md);
/// NULL: not set.
ocl_quant_open_t prim__ocl_quant_open(const quant_t *quant);

#endif
