// SPDX-License-Identifier: Apache-2.0
// Epilogue of convolutions that store four adjacent elements at a time: from accumulated products to elements of dst.
//
//     __kernel void my_conv(__constant const my_data_t *data, … CONV_QUANT_PARAMS POST_OPS_PARAMS)
//     {
//         CONV_EPILOGUE_DECLARE(epilogue, &data->quant, bia + bia_off, dst);
//         … x = conv_finish(&epilogue, x, pos, off);   // pos: in dst; pos[1] is always read
//         … conv_store4(dst, off, x4);
//
// The order: scales, bias, post-ops, scale and zero point of dst. Needs HAS_BIAS and the types.
#ifndef CLH_CONV_EPILOGUE_H
#define CLH_CONV_EPILOGUE_H

#include "clh/conv.h"
#include "clh/io_vec.h"
#include "clh/post_ops.h"

typedef struct {
    __global const BIA_T *bia;
    __global DST_T *dst;
#if HAS_QUANT
    conv_quants_t quants;
#endif
#if WITH_POST_OPS
    post_ops_t chain;
#endif
} conv_epilogue_t;

#if HAS_QUANT
#define CONV_EPILOGUE_QUANT(epilogue) (epilogue).quants = conv_quant;
#else
#define CONV_EPILOGUE_QUANT(epilogue)
#endif
#if WITH_POST_OPS
#define CONV_EPILOGUE_CHAIN(epilogue) (epilogue).chain = po;
#else
#define CONV_EPILOGUE_CHAIN(epilogue)
#endif

#define CONV_EPILOGUE_DECLARE(epilogue, quant, bia_ptr, dst_ptr) \
    POST_OPS_DECLARE;                \
    CONV_QUANT_DECLARE(quant);       \
    conv_epilogue_t epilogue;        \
    (epilogue).bia = (bia_ptr);      \
    (epilogue).dst = (dst_ptr);      \
    CONV_EPILOGUE_QUANT(epilogue)    \
    CONV_EPILOGUE_CHAIN(epilogue)

// Parameters at a kernel's end that not every problem has, each of which costs time at every launch, as
// prim__ocl_conv_wgmma_args_epilogue() passes them; CONV_BIA_START: bias for CONV_EPILOGUE_DECLARE() then.
#if HAS_BIAS
#define CONV_BIA_PARAMS , __global const BIA_T *bia, long bia_off
#define CONV_BIA_START (bia + bia_off)
#else
#define CONV_BIA_PARAMS
#define CONV_BIA_START ((__global const BIA_T *)0)
#endif
#if HAS_QUANT
#define CONV_EPILOGUE_PARAMS \
    CONV_BIA_PARAMS, __constant const ocl_conv_quant_t *quant CONV_QUANT_PARAMS POST_OPS_PARAMS
#else
#define CONV_EPILOGUE_PARAMS CONV_BIA_PARAMS POST_OPS_PARAMS
#endif

// `given`: what lies in the operand, or in dst, where dst's element lies; read if PO_BESIDE_DST.
static inline real_t conv_finish_biased(const conv_epilogue_t *epilogue, real_t x, real_t bias, real_t given,
        const long *pos, long off)
{
#if HAS_QUANT
    x *= conv_factor(&epilogue->quants, pos[1]);
#endif
#if HAS_BIAS
    x += bias;
#endif
#if PO_BESIDE_DST
    post_ops_t chain = epilogue->chain;
    chain.given = given;
    x = post_ops_apply(&chain, x, pos, epilogue->dst, off);
#elif WITH_POST_OPS
    x = post_ops_apply(&epilogue->chain, x, pos, epilogue->dst, off);
#endif
#if HAS_QUANT
    x = x / conv_divisor(&epilogue->quants, pos[1]) + conv_zero(&epilogue->quants, pos[1]);
#endif
    return x;
}

static inline float conv_bias(const conv_epilogue_t *epilogue, long channel)
{
#if HAS_BIAS
    return BIA_LOAD(epilogue->bia, channel);
#else
    return 0.0f;
#endif
}

#if REAL_WIDTH == 1
static inline float conv_finish(const conv_epilogue_t *epilogue, float x, const long *pos, long off)
{
    return conv_finish_biased(epilogue, x, conv_bias(epilogue, pos[1]), 0.0f, pos, off);
}
#endif

// In one piece where it is aligned.
static inline void conv_store4(__global DST_T *dst, long off, float4 x)
{
#if DST_DT == DT_F32
    if (((ulong)(dst + off) & 15) == 0) {
        *(__global float4 *)(dst + off) = x;
        return;
    }
#endif
    DST_STORE4(dst, off, x);
}

#endif
