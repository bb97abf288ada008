// SPDX-License-Identifier: Apache-2.0
// The driver of matmul: options, run-time dimensions, and what is known not to run.
#include <math.h>
#include <string.h>

#include "core/bench_engine.h"
#include "core/bench_text.h"
#include "matmul_ref.h"
#include "product.h"
#include "type_skip.h"

enum {
    OPT_DT,
    OPT_STAG,
    OPT_ENCODING,
    OPT_WTAG,
    OPT_DTAG,
    OPT_STRIDES,
    OPT_RUNTIME,
    OPT_BIA_DT,
    OPT_BIA_MASK,
};

enum { SRC, WEI, DST };

/// csr, coo or packed, each with +<share of zeros>; empty is dense.
static bool is_encoding(const char *text, size_t length)
{
    static const word_t words[] = {{"csr", 0}, {"coo", 0}, {"packed", 0}, {NULL, 0}};
    const char *const plus = memchr(text, '+', length);
    const size_t word_length = plus ? (size_t)(plus - text) : length;
    double sparsity = 0.;
    if (length == 0) return true;
    if (!word_find(words, text, word_length)) return false;
    return !plus || (parse_float(plus + 1, length - word_length - 1, &sparsity) && sparsity >= 0. &&
                            sparsity <= 1.);
}

/// One encoding, or three: src:wei:dst.
static bool takes_encodings(const char *text)
{
    int count = 0;
    for (const char *rest = text; rest; ++count) {
        size_t length = 0;
        const char *const piece = next_piece(&rest, ':', &length);
        if (!is_encoding(piece, length)) return false;
    }
    return count == 1 || count == 3;
}

static const option_t options[] = {
        [OPT_DT] = {.name = "dt",
                .kind = OPTION_DT,
                .fallback = "f32",
                .min_count = 1,
                .max_count = 3},
        [OPT_STAG] = {.name = "stag", .kind = OPTION_TAG, .fallback = "any"},
        [OPT_ENCODING] = {.name = "encoding",
                .kind = OPTION_TEXT,
                .fallback = "",
                .takes_text = takes_encodings},
        [OPT_WTAG] = {.name = "wtag", .kind = OPTION_TAG, .fallback = "any"},
        [OPT_DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "any"},
        [OPT_STRIDES] = {.name = "strides",
                .kind = OPTION_STRIDES,
                .fallback = "",
                .min_count = 3,
                .max_count = 3},
        [OPT_RUNTIME] = {.name = "runtime_dims_masks",
                .kind = OPTION_INT,
                .fallback = "0", // one mask stands for both
                .min_count = 1,
                .max_count = 2},
        [OPT_BIA_DT] = {.name = "bia-dt",
                .alias = "bia_dt",
                .kind = OPTION_DT,
                .fallback = "undef"},
        [OPT_BIA_MASK] = {.name = "bia_mask",
                .kind = OPTION_INT,
                .fallback = "2",
                .inside_attr = true,
                .needs_dt = OPT_BIA_DT + 1},
        {.name = NULL},
};

static const int tag_options[] = {OPT_STAG, OPT_WTAG, OPT_DTAG};

static int ndims_of(const prb_t *prb)
{
    return prb->problem->ndims;
}

static int64_t k_of(const prb_t *prb)
{
    return prb->problem->dims[SRC][ndims_of(prb) - 1];
}

static bool complete(problem_t *problem)
{
    if (problem->ndims < 2) return problem_error("matmul: tensors have 2 dimensions or more");
    return true;
}

static bool verify(const prb_t *prb)
{
    const int ndts = opt_count(prb, OPT_DT);
    if (ndts != 1 && ndts != 3)
        return problem_error("matmul: --dt takes one type or three, src:wei:dst");
    for (int i = 0; i < 3; ++i) {
        if (opt_strides(prb, OPT_STRIDES, i) && strcmp(opt_tag(prb, tag_options[i], 0), "any") != 0)
            return problem_error("matmul: --strides and a layout are given for one tensor");
    }
    return true;
}

static bool has_bias(const prb_t *prb)
{
    return opt_dt(prb, OPT_BIA_DT, 0) != PRIM_DATA_TYPE_UNDEF;
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    const int ndims = p->ndims;
    for (int d = 0; d < ndims - 2; ++d)
        dims[d] = p->dims[SRC][d] == 1 ? p->dims[WEI][d] : p->dims[SRC][d];
    dims[ndims - 2] = p->dims[SRC][ndims - 2];
    dims[ndims - 1] = p->dims[WEI][ndims - 1];
    return ndims;
}

static void bias_dims(const prb_t *prb, prim_dims_t dims)
{
    const int ndims = dst_dims(prb, dims);
    const int64_t mask = opt_int(prb, OPT_BIA_MASK, 0);
    for (int d = 0; d < ndims; ++d) {
        if (!(mask >> d & 1)) dims[d] = 1;
    }
}

/// Bits of the dimensions that are not told at creation.
static int64_t runtime_mask(const prb_t *prb, int which)
{
    const int64_t src = opt_int(prb, OPT_RUNTIME, SRC), wei = opt_int(prb, OPT_RUNTIME, WEI);
    if (which == SRC) return src;
    if (which == WEI) return wei;
    const int m = ndims_of(prb) - 2, n = m + 1;
    const int64_t batch = ((int64_t)1 << m) - 1;
    return ((src | wei) & batch) | (src & (int64_t)1 << m) | (wei & (int64_t)1 << n);
}

static bool has_runtime(const prb_t *prb)
{
    return runtime_mask(prb, SRC) != 0 || runtime_mask(prb, WEI) != 0;
}

static bool runtime_is_sound(const prb_t *prb)
{
    const int ndims = ndims_of(prb);
    const bool src_k = runtime_mask(prb, SRC) >> (ndims - 1) & 1;
    const bool wei_k = runtime_mask(prb, WEI) >> (ndims - 2) & 1;
    if (src_k != wei_k) return false;
    for (int i = 0; i < 3; ++i) {
        if (runtime_mask(prb, i) == 0) continue;
        if (opt_strides(prb, OPT_STRIDES, i)) return false;
        if (strcmp(opt_tag(prb, tag_options[i], 0), "any") == 0) return false;
    }
    return true;
}

static bool groups_divide(const prb_t *prb, const quant_entry_t *entry, int which)
{
    const int ndims = ndims_of(prb);
    if (!entry || entry->ngroups == 0) return true;
    const prim_dim_t *const dims = prb->problem->dims[which];
    return dims[ndims - 2] % entry->groups[0] == 0 && dims[ndims - 1] % entry->groups[1] == 0;
}

/// Some tensor is sparse; "::" is dense in all three.
static bool has_encoding(const prb_t *prb)
{
    const char *const text = opt_text(prb, OPT_ENCODING);
    return text[strspn(text, ":")] != 0;
}

static skip_reason_t skip(const prb_t *prb)
{
    if (has_encoding(prb))
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "matmul: there are no sparse encodings");
    if (has_runtime(prb) && !runtime_is_sound(prb)) return SKIP_INVALID_CASE;
    const quant_entry_t *const wei_zp = attr_zero_point(prb->attr, PRIM_ARG_WEIGHTS);
    if (wei_zp && !dt_is_integer(opt_dt(prb, OPT_DT, WEI))) return SKIP_INVALID_CASE;
    for (int i = SRC; i <= WEI; ++i) {
        const int arg = i == SRC ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS;
        if (!groups_divide(prb, attr_scale(prb->attr, arg), i)) return SKIP_INVALID_CASE;
        if (!groups_divide(prb, attr_zero_point(prb->attr, arg), i)) return SKIP_INVALID_CASE;
    }
    const skip_reason_t reason = skip_types(prb, OPT_DT, OPT_DT);
    return reason != SKIP_NONE ? reason : skip_types(prb, OPT_BIA_DT, OPT_BIA_DT);
}

static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    (void)arg;
    (void)has_groups;
    const int ndims = ndims_of(prb);
    switch (policy) {
    case POLICY_PER_OC:
    case POLICY_PER_DIM_1: return 1 << (ndims - 1);
    case POLICY_PER_OCIC: return 3 << (ndims - 2);
    default: return attr_default_mask(policy, ndims);
    }
}

static prim_status_t make_md(
        prim_memory_desc_t *md, const prb_t *prb, int which, const prim_dim_t *dims)
{
    return bench_md_strided(md, ndims_of(prb), dims, opt_dt(prb, OPT_DT, which),
            opt_tag(prb, tag_options[which], 0), opt_strides(prb, OPT_STRIDES, which));
}

static void real_dims(const prb_t *prb, int which, prim_dims_t dims)
{
    if (which == DST)
        (void)dst_dims(prb, dims);
    else
        memcpy(dims, prb->problem->dims[which], sizeof(prim_dims_t));
}

static void hide_dims(prim_dim_t *dims, int64_t mask)
{
    for (int d = 0; d < PRIM_MAX_NDIMS; ++d) {
        if (mask >> d & 1) dims[d] = PRIM_RUNTIME_DIM_VAL;
    }
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    prim_memory_desc_t mds[3] = {{0}}, bias = {0};
    prim_dims_t dims = {0};
    for (int i = 0; i < 3; ++i) {
        real_dims(prb, i, dims);
        hide_dims(dims, runtime_mask(prb, i));
        const prim_status_t st = make_md(&mds[i], prb, i, dims);
        if (st != PRIM_SUCCESS) return st;
    }
    if (has_bias(prb)) {
        const int64_t mask = opt_int(prb, OPT_BIA_MASK, 0) & runtime_mask(prb, DST);
        bias_dims(prb, dims);
        hide_dims(dims, mask);
        const prim_status_t st = bench_md(
                &bias, ndims_of(prb), dims, opt_dt(prb, OPT_BIA_DT, 0), mask ? "abx" : "any");
        if (st != PRIM_SUCCESS) return st;
    }
    return prim_matmul_desc_create(
            pd, engine, &mds[SRC], &mds[WEI], has_bias(prb) ? &bias : NULL, &mds[DST], attr);
}

/// With run-time dimensions the memories have the real ones.
static void list_args(const prb_t *prb, args_t *args)
{
    static const int ids[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    static const data_kind_t kinds[] = {DATA_SRC, DATA_WEI, DATA_DST};
    prim_dims_t dims = {0};
    for (int i = 0; i < 3; ++i) {
        arg_t *const arg = args_add(args, ids[i], i == DST ? ARG_OUT : ARG_IN, kinds[i]);
        if (runtime_mask(prb, i) == 0) continue;
        real_dims(prb, i, dims);
        (void)make_md(&arg->md, prb, i, dims);
    }
    if (!has_bias(prb)) return;
    arg_t *const bias = args_add(args, PRIM_ARG_BIAS, ARG_IN, DATA_BIA);
    if ((opt_int(prb, OPT_BIA_MASK, 0) & runtime_mask(prb, DST)) == 0) return;
    bias_dims(prb, dims);
    (void)bench_md(&bias->md, ndims_of(prb), dims, opt_dt(prb, OPT_BIA_DT, 0), "abx");
}

static product_t product_of(const prb_t *prb)
{
    const int64_t n = prb->problem->dims[WEI][ndims_of(prb) - 1];
    return (product_t){
            .src = opt_dt(prb, OPT_DT, SRC),
            .wei = opt_dt(prb, OPT_DT, WEI),
            .dst = opt_dt(prb, OPT_DT, DST),
            .bias = opt_dt(prb, OPT_BIA_DT, 0),
            .max_f32_src = 64,
            .max_f32_wei = 128,
            .n_acc = k_of(prb),
            .src_axis = {.step = 1, .count = k_of(prb)},
            .wei_axis = {.step = n, .count = k_of(prb), .has_inner = true},
    };
}

static void sum_products(const prb_t *prb, const args_t *args, const double *src, const double *wei,
        const double *bias, double *dst)
{
    matmul_ref_t run = {.ndims = ndims_of(prb), .src = src, .wei = wei, .bias = bias, .dst = dst};
    (void)args;
    real_dims(prb, SRC, run.src_dims);
    real_dims(prb, WEI, run.wei_dims);
    real_dims(prb, DST, run.dst_dims);
    bias_dims(prb, run.bias_dims);
    matmul_ref(&run);
}

static const product_driver_t product = {product_of, sum_products};

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    (void)arg;
    const double by_sums = k_of(prb) == 0 ? 100 : 90; // an empty sum is 0
    compare->zero_percent = fmax(compare->zero_percent, by_sums);
}

static double ops(const prb_t *prb)
{
    prim_dims_t dims = {0};
    double n = 2.0 * (double)k_of(prb);
    const int ndims = dst_dims(prb, dims);
    for (int d = 0; d < ndims; ++d) n *= (double)dims[d];
    return n;
}

const driver_t bench_matmul_driver = {
        .name = "matmul",
        .primitive_kind = PRIM_MATMUL,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 2,
        .max_tensors = 2,
        .csv_columns = "%sdt%,%stag%,%wtag%,%dtag%",
        .complete = complete,
        .verify = verify,
        .skip = skip,
        .dst_dims = dst_dims,
        .policy_mask = policy_mask,
        .create_desc = create_desc,
        .product = &product,
        .data_classes = product_case_classes,
        .list_args = list_args,
        .fill = product_case_fill,
        .reference = product_case_reference,
        .set_compare = set_compare,
        .ops = ops,
};
