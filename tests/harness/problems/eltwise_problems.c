// SPDX-License-Identifier: Apache-2.0
// Problems of eltwise.
#include "problem_gen.h"
#include "problem_image.h"

#include <string.h>

static void family_eltwise(draw_t *d)
{
    static const char *const algs[] = {"relu", "tanh", "elu", "square", "abs", "sqrt", "linear",
            "soft_relu", "hardsigmoid", "logistic", "exp", "gelu_tanh", "swish", "log", "clip",
            "clip_v2", "pow", "gelu_erf", "mish", "hardswish", "round", "relu_dst", "tanh_dst",
            "elu_dst", "sqrt_dst", "logistic_dst", "exp_dst", "clip_v2_dst"};
    static const char *const integer_algs[] = {"relu", "linear", "clip"};
    const char *const type = draw_type(d);
    const char *alg = is_integer_type(type) ? PICK(d, integer_algs) : PICK(d, algs);
    if (strcmp(alg, "round") == 0 && strcmp(type, "f32") != 0) alg = "abs";
    set(d, "dir", once_in(d, 2) ? "FWD_I" : "FWD_D");
    set(d, "dt", type);
    set(d, "alg", alg);
    put(d, " --alpha=%s", once_in(d, 3) ? "0.5" : "0.25");
    put(d, " --beta=%s", once_in(d, 3) ? "2" : "1");
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    set(d, "tag", layout(d, ndims));
    set(d, "inplace", once_in(d, 2) ? "true" : "false");
    draw_chain(d, allowed_steps(d) | CHAIN_ORDER, type, ndims);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

static void family_eltwise_backward(draw_t *d)
{
    static const char *const algs[] = {"relu", "tanh", "elu", "square", "abs", "sqrt", "linear",
            "soft_relu", "hardsigmoid", "logistic", "exp", "gelu_tanh", "swish", "log", "clip",
            "clip_v2", "pow", "gelu_erf", "mish", "hardswish", "relu_dst", "tanh_dst", "elu_dst",
            "sqrt_dst", "logistic_dst", "exp_dst", "clip_v2_dst"};
    static const char *const types[] = {"f32", "bf16", "f16", "f64", "f8_e5m2", "f8_e4m3"};
    set(d, "dir", "BWD_D");
    set(d, "dt", types[pick(d, d->is_gpu ? 3 : 6)]);
    set(d, "alg", PICK(d, algs));
    put(d, " --alpha=%s", once_in(d, 3) ? "0.5" : "0.25");
    put(d, " --beta=%s", once_in(d, 3) ? "2" : "1");
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    set(d, "tag", layout(d, ndims));
    set(d, "inplace", once_in(d, 2) ? "true" : "false");
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, ndims, unused);
}

static void family_eltwise_image(draw_t *d)
{
    static const char *const algs[] = {"relu", "tanh", "elu", "linear", "logistic", "exp", "swish",
            "clip", "hardswish", "gelu_erf", "abs", "square"};
    set(d, "dir", "FWD_I");
    set(d, "dt", image_type(d));
    set(d, "tag", "image");
    set(d, "alg", PICK(d, algs));
    put(d, " --alpha=0.25 --beta=1");
    put_image_operand(d);
    int unused[PRIM_MAX_NDIMS];
    put_dims(d, image_rank(d), unused);
}

static prim_desc_t *probe(prim_engine_t *engine, int which)
{
    const prim_dim_t dims[] = {2048, 2048};
    const prim_memory_desc_t md = probe_md(2, dims, probe_dst_type(which), "ab");
    prim_desc_t *pd = NULL;
    prim_eltwise_forward_desc_create(
            &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &md, &md, 0.f, 0.f, NULL);
    return pd;
}

const generator_t eltwise_generator = {"eltwise", PRIM_ELTWISE,
        {family_eltwise, family_eltwise, family_eltwise_backward}, .image = family_eltwise_image,
        .probe = probe};
