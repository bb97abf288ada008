// SPDX-License-Identifier: Apache-2.0
// What drivers read from a case: option values, directions, tensor descriptors.
#include <string.h>

#include "bench_layout.h"
#include "bench_tag.h"
#include "bench_text.h"
#include "driver.h"

static int tuple_index(const option_value_t *value, int position)
{
    return value->count == 1 ? 0 : position;
}

direction_t opt_direction(const prb_t *prb, int index)
{
    return prb->options[index]->as.direction;
}

prim_data_type_t opt_dt(const prb_t *prb, int index, int position)
{
    const option_value_t *const value = prb->options[index];
    return value->as.dt[tuple_index(value, position)];
}

const char *opt_tag(const prb_t *prb, int index, int position)
{
    const option_value_t *const value = prb->options[index];
    return value->as.tag[tuple_index(value, position)];
}

const prim_dim_t *opt_strides(const prb_t *prb, int index, int position)
{
    const option_value_t *const value = prb->options[index];
    const bool is_given = position < value->count && value->as.strides.ndims[position] > 0;
    return is_given ? value->as.strides.dims[position] : NULL;
}

int opt_word(const prb_t *prb, int index)
{
    return prb->options[index]->as.word;
}

const char *opt_text(const prb_t *prb, int index)
{
    const char *const text = prb->options[index]->as.text;
    return text ? text : "";
}

int64_t opt_int(const prb_t *prb, int index, int position)
{
    const option_value_t *const value = prb->options[index];
    return value->as.ints[tuple_index(value, position)];
}

double opt_float(const prb_t *prb, int index, int position)
{
    const option_value_t *const value = prb->options[index];
    return value->as.floats[tuple_index(value, position)];
}

bool opt_bool(const prb_t *prb, int index)
{
    return prb->options[index]->as.boolean;
}

int opt_count(const prb_t *prb, int index)
{
    return prb->options[index]->count;
}

prim_prop_kind_t direction_prop(direction_t direction)
{
    switch (direction) {
    case FWD_D:
    case FWD_B: return PRIM_FORWARD_TRAINING;
    case FWD_I: return PRIM_FORWARD_INFERENCE;
    case BWD_D: return PRIM_BACKWARD_DATA;
    case BWD_W:
    case BWD_WB: return PRIM_BACKWARD_WEIGHTS;
    case BWD_DW: return PRIM_BACKWARD;
    default: return PRIM_PROP_KIND_UNDEF;
    }
}

bool direction_is_backward(direction_t direction)
{
    return direction >= BWD_D;
}

bool direction_has_bias(direction_t direction)
{
    return direction == FWD_B || direction == BWD_WB;
}

/// A broadcast dimension is laid out as one of size 1 and then stretched with stride 0.
static prim_status_t broadcast_md(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag, const char *abc)
{
    prim_dims_t small;
    for (int d = 0; d < ndims; ++d) small[d] = tag_broadcasts(tag, d) ? 1 : dims[d];
    const prim_status_t st = prim_memory_desc_init_by_string_tag(md, ndims, small, data_type, abc);
    if (st != PRIM_SUCCESS) return st;
    for (int d = 0; d < ndims; ++d) {
        if (!tag_broadcasts(tag, d)) continue;
        md->dims[d] = md->padded_dims[d] = dims[d];
        md->strides[d] = 0;
    }
    return PRIM_SUCCESS;
}

prim_status_t bench_md(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag)
{
    char abc[BENCH_MAX_TAG];
    if (strcmp(tag, "undef") == 0) {
        memset(md, 0, sizeof *md);
        return PRIM_SUCCESS;
    }
    if (!tag_normalise(tag, ndims, abc)) return PRIM_INVALID_ARGUMENTS;
    if (strchr(tag, '-')) return broadcast_md(md, ndims, dims, data_type, tag, abc);
    return prim_memory_desc_init_by_string_tag(md, ndims, dims, data_type, abc);
}

prim_memory_desc_t bench_dense(const prim_memory_desc_t *md)
{
    prim_memory_desc_t dense = *md;
    if (layout_is_broadcast(md))
        (void)prim_memory_desc_init_by_strides(&dense, md->ndims, md->dims, md->data_type, NULL);
    return dense;
}

prim_status_t bench_md_strided(prim_memory_desc_t *md, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, const char *tag, const prim_dim_t *strides)
{
    if (!strides) return bench_md(md, ndims, dims, data_type, tag);
    return prim_memory_desc_init_by_strides(md, ndims, dims, data_type, strides);
}
