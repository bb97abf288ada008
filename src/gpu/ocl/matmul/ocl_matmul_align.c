// SPDX-License-Identifier: Apache-2.0
// Launches the kernel that copies operands to aligned rows.
#include "ocl_matmul_align.h"

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

extern const ocl_source_t prim__ocl_matmul_align_cl;

_Static_assert(ALIGN_COUNTER == OCL_NCOUNTERS - 1, "the last counter, which no tile has");

enum { VEC_BYTES = 16, ITEMS = 256 }; // as in the .cl

static void init_operand(ocl_align_operand_t *operand, const matmul_shape_t *shape,
        const prim_dim_t *batch, prim_dim_t nrows, prim_dim_t row_elems, prim_dim_t pitch)
{
    *operand = (ocl_align_operand_t){
            .nrows = nrows, .row_elems = row_elems, .tensor_pitch = pitch, .pitch = pitch};
    for (int i = 0; i < shape->nbatch; ++i) operand->tensor_batch[i] = operand->batch[i] = batch[i];
}

void prim__ocl_align_init(
        ocl_align_t *align, const matmul_shape_t *s, bool wei_along_k, size_t elem_bytes)
{
    *align = (ocl_align_t){.elem_bytes = elem_bytes};
    init_operand(&align->src, s, s->src_batch, s->m, s->k, s->src_m);
    if (wei_along_k)
        init_operand(&align->wei, s, s->wei_batch, s->n, s->k, s->wei_n);
    else
        init_operand(&align->wei, s, s->wei_batch, s->k, s->n, s->wei_k);
}

void prim__ocl_align_copy(
        ocl_align_operand_t *operand, const matmul_shape_t *shape, size_t elem_bytes)
{
    operand->pitch = prim__round_up(operand->row_elems, VEC_BYTES / (prim_dim_t)elem_bytes);
    prim_dim_t size = operand->nrows * operand->pitch;
    for (int i = shape->nbatch - 1; i >= 0; --i) {
        if (operand->batch[i] == 0) continue;
        operand->batch[i] = size;
        size *= shape->batch[i];
    }
    operand->nvecs = size * (prim_dim_t)elem_bytes / VEC_BYTES;
}

bool prim__ocl_align_copies(const ocl_align_t *align)
{
    return align->src.nvecs > 0 || align->wei.nvecs > 0;
}

bool prim__ocl_align_fits(const ocl_align_t *align)
{
    const prim_dim_t limit = INT32_MAX - ITEMS * ALIGN_AT_ONCE;
    return align->src.nvecs <= limit && align->wei.nvecs <= limit;
}

// Whether rows of the tensors, not of their copies, begin at multiples of `unit` elements.
static bool begin_at_multiples(
        const ocl_align_t *align, const matmul_shape_t *shape, bool src_alone, prim_dim_t unit)
{
    const ocl_align_operand_t *const src = &align->src, *const wei = &align->wei;
    return prim__ocl_gemm_are_multiples(shape, src->tensor_pitch, src->tensor_batch, unit) &&
           (src_alone ||
                   prim__ocl_gemm_are_multiples(shape, wei->tensor_pitch, wei->tensor_batch, unit));
}

double prim__ocl_align_slowdown(const ocl_align_t *align, const matmul_shape_t *shape,
        const ocl_device_t *device, bool src_alone)
{
    const prim_dim_t word = 4 / (prim_dim_t)align->elem_bytes;
    if (begin_at_multiples(align, shape, src_alone, 2 * word))
        return prim__ocl_measured(device, MEASURED_MATMUL_WGMMA_PAIRS_OF_WORDS, 1.2);
    if (begin_at_multiples(align, shape, src_alone, word))
        return prim__ocl_measured(device, MEASURED_MATMUL_WGMMA_WORDS, 1.6);
    return prim__ocl_measured(device, MEASURED_MATMUL_WGMMA_UNALIGNED, 2);
}

double prim__ocl_align_cycles(const ocl_align_t *align, const ocl_device_t *device, bool by_product)
{
    if (!prim__ocl_align_copies(align)) return 0;
    // Each byte is read and written, at a unit's share of the memory's bandwidth; a group that goes
    // on with the product leaves half of it.
    const double bytes = (double)(align->src.nvecs + align->wei.nvecs) * VEC_BYTES;
    const double units = prim__ocl_estimate_units(device);
    if (by_product)
        return prim__ocl_measured(device, MEASURED_MATMUL_ALIGN_WAIT_CYCLES,
                       prim__ocl_estimate_cycles(device, 3)) +
               bytes / prim__ocl_measured(device, MEASURED_MATMUL_ALIGN_PRODUCT_BYTES, 2. * units);
    // The product starts when both the host has submitted it and the copies are done.
    const double launch = prim__ocl_measured(
            device, MEASURED_MATMUL_ALIGN_CYCLES, prim__ocl_estimate_cycles(device, 10));
    const double copies =
            bytes / prim__ocl_measured(device, MEASURED_MATMUL_ALIGN_BYTES, 4. * units);
    return launch / 4 + (copies > launch ? copies : launch);
}

bool prim__ocl_align_by_product(const ocl_align_t *align, const prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const prim_dim_t most = INT32_MAX / 2; // vectors that copies of a step beyond can number
    return align->src.nvecs <= most && align->wei.nvecs <= most &&
           prim__ocl_align_cycles(align, device, true) <
                   prim__ocl_align_cycles(align, device, false) &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_GROUP_WAIT);
}

void prim__ocl_align_book(ocl_align_t *align, prim_desc_t *pd)
{
    if (prim__ocl_align_copies(align))
        align->booked_offset = prim__pd_book_scratchpad(
                pd, (size_t)(align->src.nvecs + align->wei.nvecs) * VEC_BYTES);
}

prim_status_t prim__ocl_align_add_kernel(ocl_primitive_t *primitive, const ocl_align_t *align)
{
    const bool is_wide =
            prim__ocl_device_trusts(primitive->base.pd->engine, OCL_FEATURE_ASYNC_COPY);
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ELEM_BYTES", (int)align->elem_bytes);
    prim__ocl_options_int(&options, "WIDE_LOADS", is_wide);
    prim__ocl_options_int(&options, "RELAXED_ATOMICS", 0); // no group waits for another
    return prim__ocl_primitive_add_kernel(
            primitive, &prim__ocl_matmul_align_cl, &options, "matmul_align");
}

static void add_tensor(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_align_operand_t *operand, int arg)
{
    if (operand->nvecs > 0)
        prim__ocl_args_tensor(args, ctx, arg);
    else
        prim__ocl_args_nothing(args);
}

static ocl_align_rows_t rows_of(
        const ocl_align_operand_t *operand, const matmul_shape_t *s, size_t elem_bytes)
{
    const prim_dim_t bytes = (prim_dim_t)elem_bytes;
    ocl_align_rows_t rows = {
            .sizes = {.s = {1, 1, 1}},
            .pitch = operand->tensor_pitch * bytes,
            .nrows = (cl_int)operand->nrows,
            .row_bytes = (cl_int)(operand->row_elems * bytes),
            .row_vecs = (cl_int)(operand->pitch * bytes / VEC_BYTES),
            .nvecs = (cl_int)operand->nvecs,
    };
    for (int i = 0; i < s->nbatch; ++i) {
        const prim_dim_t distance = operand->tensor_batch[i];
        if (distance == 0) continue;
        rows.sizes.s[OCL_GEMM_BATCH - s->nbatch + i] = s->batch[i];
        rows.strides.s[OCL_GEMM_BATCH - s->nbatch + i] = distance * bytes;
    }
    return rows;
}

static prim_dim_t groups_of(const ocl_align_operand_t *operand)
{
    return prim__ceil_div(operand->nvecs, ITEMS * ALIGN_AT_ONCE);
}

static void add_tensors(ocl_args_t *args, ocl_align_rows_t rows[2], const ocl_align_t *align,
        const matmul_shape_t *s, const exec_ctx_t *ctx)
{
    rows[0] = rows_of(&align->src, s, align->elem_bytes);
    rows[1] = rows_of(&align->wei, s, align->elem_bytes);
    add_tensor(args, ctx, &align->src, PRIM_ARG_SRC);
    add_tensor(args, ctx, &align->wei, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scratchpad(args, ctx, align->booked_offset, 1);
    prim__ocl_args_struct(args, &rows[0], sizeof rows[0]);
    prim__ocl_args_struct(args, &rows[1], sizeof rows[1]);
}

prim_status_t prim__ocl_align_launch(const ocl_kernel_t *kernel, const ocl_align_t *align,
        const matmul_shape_t *s, const exec_ctx_t *ctx)
{
    ocl_align_rows_t rows[2];
    ocl_args_t args;
    prim__ocl_args_init(&args);
    add_tensors(&args, rows, align, s, ctx);
    const size_t ngroups = (size_t)(groups_of(&align->src) + groups_of(&align->wei));
    const ocl_range_t range = {1, {ngroups * ITEMS}, {ITEMS}};
    return prim__ocl_launch(ctx, kernel, &range, &args);
}

// The groups that run first copy, one on each compute unit; the others find the copies made.
prim_status_t prim__ocl_align_args_product(ocl_args_t *args, ocl_align_rows_t rows[2],
        const ocl_align_t *align, const matmul_shape_t *s, const ocl_device_t *device,
        const exec_ctx_t *ctx, size_t ngroups, bool by_product)
{
    const size_t units = device->compute_units < 1 ? 1 : (size_t)device->compute_units;
    const size_t most = units < 4095 ? units : 4095;
    const int ncopiers = (int)(ngroups < most ? ngroups : most);
    // A look takes longer than the device needs for 64 KiB.
    const int looks = prim__ocl_measured_int(device, MEASURED_BARRIER_POLLS, 256) +
                      (int)((align->src.nvecs + align->wei.nvecs) / 4096);
    add_tensors(args, rows, align, s, ctx);
    if (by_product)
        TRY(prim__ocl_args_counters(args, ctx));
    else
        prim__ocl_args_buffer(args, NULL);
    prim__ocl_args_i32(args, by_product ? ncopiers : 0);
    prim__ocl_args_i32(args, device->waits_hold_cores ? 0 : looks);
    return PRIM_SUCCESS;
}

void prim__ocl_align_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_align_t *align, int arg)
{
    const bool is_src = arg == PRIM_ARG_SRC;
    if ((is_src ? align->src : align->wei).nvecs == 0) {
        prim__ocl_args_tensor(args, ctx, arg);
        return;
    }
    const size_t skipped = is_src ? 0 : (size_t)align->src.nvecs * VEC_BYTES;
    prim__ocl_args_scratchpad(args, ctx, align->booked_offset + skipped, align->elem_bytes);
}
