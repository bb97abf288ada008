// SPDX-License-Identifier: Apache-2.0
// Memory descriptors of images, and layouts that follow another one's.
#ifndef PRIM_COMMON_MEMORY_DESC_IMAGE_H
#define PRIM_COMMON_MEMORY_DESC_IMAGE_H

#include "prim/prim_types.h"

/// Channels in a texel of an image, and texels of a row of an image that holds a vector: every
/// OpenCL device takes images this wide.
enum { MD_TEXEL_ELEMS = 4, MD_IMAGE_ROW_TEXELS = 2048 };

/// If `md` is `any`, makes it an image. PRIM_UNIMPLEMENTED with a sentence for ranks and types that
/// images do not hold.
prim_status_t prim__md_set_image_if_any(prim_memory_desc_t *md);
/// If `md` is `any`, gives it the layout order of `like` (same rank): the same order of dimensions
/// and the same inner blocks, dense; an image, if it is one.
prim_status_t prim__md_set_like_if_any(prim_memory_desc_t *md, const prim_memory_desc_t *like);

#endif
