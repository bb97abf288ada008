// SPDX-License-Identifier: Apache-2.0
// Random attributes and chains of post-ops.
#include <stdlib.h>

#include "fuzz_ops.h"

static int draw_arg(fuzz_input_t *in)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST, PRIM_ARG_SRC_1,
            PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_MULTIPLE_SRC + 1, PRIM_ARG_BIAS,
            PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST};
    const int n = (int)(sizeof args / sizeof *args);
    return fuzz_seldom(in, 20) ? (int)fuzz_number(in) : args[fuzz_below(in, n)];
}

static int draw_mask(fuzz_input_t *in)
{
    return fuzz_seldom(in, 20) ? (int)fuzz_number(in) : fuzz_below(in, 16) >> fuzz_below(in, 4);
}

static void set_quant(prim_attr_t *attr, fuzz_input_t *in)
{
    static const prim_data_type_t types[2][3] = {
            {PRIM_F32, PRIM_F16, PRIM_BF16}, {PRIM_S32, PRIM_S8, PRIM_U8}};
    const int is_zero_point = fuzz_below(in, 2), arg = draw_arg(in), mask = draw_mask(in);
    const prim_data_type_t dt =
            fuzz_seldom(in, 10) ? fuzz_type(in) : types[is_zero_point][fuzz_below(in, 3)];
    const int ngroups = fuzz_seldom(in, 4) ? fuzz_below(in, 4) : 0;
    prim_dims_t groups;
    for (int i = 0; i < PRIM_MAX_NDIMS; ++i) groups[i] = fuzz_dim(in);
    const prim_dim_t *const given = ngroups ? groups : NULL;
    fuzz_check_status(is_zero_point ? prim_attr_set_zero_points(attr, arg, mask, ngroups, given, dt)
                                    : prim_attr_set_scales(attr, arg, mask, ngroups, given, dt));
}

static void read_quants(const prim_attr_t *attr, int arg)
{
    int mask, ngroups;
    prim_dim_t groups[2];
    prim_data_type_t dt;
    fuzz_check_status(prim_attr_get_scales(attr, arg, &mask, &ngroups, groups, &dt));
    fuzz_check_status(prim_attr_get_zero_points(attr, arg, &mask, &ngroups, groups, &dt));
}

static prim_alg_kind_t draw_eltwise(fuzz_input_t *in)
{
    if (fuzz_seldom(in, 6)) return (prim_alg_kind_t)fuzz_number(in);
    return (prim_alg_kind_t)(PRIM_ELTWISE_RELU + fuzz_below(in, 22));
}

/// A tensor that broadcasts to dims, or seldom any other.
static void draw_operand(prim_memory_desc_t *md, fuzz_input_t *in, int ndims,
        const prim_dim_t *dims, prim_data_type_t dt)
{
    prim_dims_t part;
    for (int d = 0; d < PRIM_MAX_NDIMS; ++d)
        part[d] = d < ndims && fuzz_seldom(in, 2) ? dims[d] : 1;
    if (fuzz_seldom(in, 12))
        fuzz_md(md, in);
    else
        fuzz_md_of(md, in, ndims, part, dt);
}

static prim_status_t append_binary(
        prim_post_ops_t *chain, fuzz_input_t *in, int ndims, const prim_dim_t *dims)
{
    prim_memory_desc_t md, condition;
    const prim_alg_kind_t alg = (prim_alg_kind_t)(PRIM_BINARY_ADD + fuzz_below(in, 14));
    draw_operand(&md, in, ndims, dims, fuzz_type(in));
    if (alg != PRIM_BINARY_SELECT && !fuzz_seldom(in, 8))
        return prim_post_ops_append_binary(chain, alg, &md);
    draw_operand(&condition, in, ndims, dims, fuzz_seldom(in, 8) ? fuzz_type(in) : PRIM_S8);
    return prim_post_ops_append_binary_v2(chain, alg, &md, fuzz_seldom(in, 8) ? NULL : &condition);
}

static void append(prim_post_ops_t *chain, fuzz_input_t *in, int ndims, const prim_dim_t *dims)
{
    prim_status_t status;
    switch (fuzz_below(in, 5)) {
    case 0:
        status = prim_post_ops_append_eltwise(
                chain, draw_eltwise(in), fuzz_float(in), fuzz_float(in));
        break;
    case 1:
        status = prim_post_ops_append_sum(chain, fuzz_float(in), (int32_t)fuzz_number(in),
                fuzz_seldom(in, 3) ? fuzz_type(in) : PRIM_DATA_TYPE_UNDEF);
        break;
    case 2: status = prim_post_ops_append_prelu(chain, draw_mask(in)); break;
    case 3:
        status = prim_post_ops_append_dw(chain, fuzz_type(in), fuzz_type(in), fuzz_type(in),
                fuzz_seldom(in, 8) ? fuzz_number(in) : 3, 1 + fuzz_below(in, 2), fuzz_below(in, 3));
        break;
    default: status = append_binary(chain, in, ndims, dims);
    }
    fuzz_check_status(status);
}

static void read_chain(const prim_post_ops_t *chain, int index)
{
    float a, b;
    int32_t zero_point;
    int mask;
    prim_data_type_t dt, other_dt, third_dt;
    prim_dim_t kernel, stride, padding;
    prim_alg_kind_t alg;
    const prim_memory_desc_t *md = NULL, *condition = NULL;
    const prim_primitive_kind_t kind = prim_post_ops_get_kind(chain, index);
    const bool is[] = {
            prim_post_ops_get_params_sum(chain, index, &a, &zero_point, &dt) == PRIM_SUCCESS,
            prim_post_ops_get_params_eltwise(chain, index, &alg, &a, &b) == PRIM_SUCCESS,
            prim_post_ops_get_params_binary(chain, index, &alg, &md) == PRIM_SUCCESS,
            prim_post_ops_get_params_prelu(chain, index, &mask) == PRIM_SUCCESS,
            prim_post_ops_get_params_dw(chain, index, &dt, &other_dt, &third_dt, &kernel, &stride,
                    &padding) == PRIM_SUCCESS};
    FUZZ_PROMISE(is[0] + is[1] + is[2] + is[3] + is[4] == (kind != PRIM_PRIMITIVE_UNDEF),
            "an entry has the parameters of its kind");
    if (!md) return;
    fuzz_md_read(md);
    FUZZ_PROMISE(
            prim_post_ops_get_params_binary_v2(chain, index, &alg, &md, &condition) == PRIM_SUCCESS,
            "a binary has the parameters of both getters");
    FUZZ_PROMISE((alg == PRIM_BINARY_SELECT) == (condition != NULL), "a select has a condition");
    if (condition) fuzz_md_read(condition);
}

static void set_modes(prim_attr_t *attr, fuzz_input_t *in)
{
    const int any = (int)fuzz_number(in), one = fuzz_below(in, 6);
    const int mode = fuzz_seldom(in, 8) ? any : one;
    fuzz_check_status(prim_attr_set_fpmath_mode(attr, (prim_fpmath_mode_t)mode, mode & 1));
    fuzz_check_status(prim_attr_set_accumulation_mode(attr, (prim_accumulation_mode_t)mode));
    fuzz_check_status(prim_attr_set_scratchpad_mode(
            attr, (prim_scratchpad_mode_t)(fuzz_seldom(in, 8) ? any : one & 1)));
    fuzz_check_status(prim_attr_set_deterministic(attr, mode & 2));
}

prim_attr_t *fuzz_attr(fuzz_input_t *in, int ndims, const prim_dim_t *dims)
{
    if (!fuzz_seldom(in, 2)) return NULL;
    prim_attr_t *attr = NULL, *copy = NULL;
    prim_post_ops_t *chain = NULL;
    if (prim_attr_create(&attr) != PRIM_SUCCESS || prim_post_ops_create(&chain) != PRIM_SUCCESS)
        fuzz_fail(__func__, "attributes can be made");
    if (fuzz_seldom(in, 3)) set_modes(attr, in);
    const int nquants = fuzz_seldom(in, 2) ? fuzz_below(in, 4) : 0;
    for (int i = 0; i < nquants; ++i) set_quant(attr, in);
    read_quants(attr, draw_arg(in));
    const int nentries = fuzz_seldom(in, 40) ? 40 : fuzz_below(in, 4);
    for (int i = 0; i < nentries; ++i) append(chain, in, ndims, dims);
    read_chain(chain, fuzz_seldom(in, 8) ? (int)fuzz_number(in) : fuzz_below(in, 4));
    fuzz_check_status(prim_attr_set_post_ops(attr, chain));
    prim_post_ops_destroy(chain);
    fuzz_check_status(prim_attr_clone(&copy, attr));
    prim_attr_destroy(attr);
    return copy;
}
