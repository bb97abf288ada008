// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: the internal functions beside the public ones, here and in the headers that
// this one includes.
#ifndef PRIM_COMMON_MEMORY_DESC_H
#define PRIM_COMMON_MEMORY_DESC_H

#include "memory_desc_check.h"
#include "memory_desc_image.h"
#include "memory_desc_info.h"
#include "memory_desc_tag.h"
#include "status.h"

/// prim_memory_desc_equal() and prim_memory_desc_get_size() of descriptors that were checked.
bool prim__md_equal(const prim_memory_desc_t *a, const prim_memory_desc_t *b);
size_t prim__md_bytes(const prim_memory_desc_t *md);

#endif
