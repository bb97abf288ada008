// SPDX-License-Identifier: Apache-2.0
// The element of a destination that a work-item of a generic kernel computes.
#ifndef CLH_MD_ITEM_H
#define CLH_MD_ITEM_H

#include "clh/io.h"
#include "clh/md.h"

// Work-item `index` of the elements of `to`, padding included: its position becomes pos, and *off, the tensor's first
// element, the element's offset. False where nothing is left to do: behind the last element, and in the padding, which
// becomes 0. (Mesa 22.3 miscompiles early returns of inlined functions, so there is one.)
static inline bool md_begin_item(
        long *pos, long *off, __constant const ocl_md_t *md, __global void *to, long index)
{
    bool is_wanted = index < md->nelems_padded;
    if (is_wanted) {
        md_position_padded(pos, md, index);
        *off += md_offset_padded(md, pos);
        is_wanted = md_to_logical(pos, md);
        if (!is_wanted) store_any(to, *off, md->dt, 0.0f);
    }
    return is_wanted;
}

#endif
