// SPDX-License-Identifier: Apache-2.0
// Recurrent primitives, which Prim does not have yet.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_vanilla_rnn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const dnnl_alg_kind_t activation,
        const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        unsigned flags, float alpha, float beta, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)activation, (void)direction,
            (void)src_layer_desc, (void)src_iter_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc,
            (void)flags, (void)alpha, (void)beta, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_vanilla_rnn_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const dnnl_alg_kind_t activation,
        const dnnl_rnn_direction_t direction, const_dnnl_memory_desc_t src_layer_desc,
        const_dnnl_memory_desc_t src_iter_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, float alpha, float beta, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)activation, (void)direction,
            (void)src_layer_desc, (void)src_iter_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc,
            (void)diff_src_layer_desc, (void)diff_src_iter_desc, (void)diff_weights_layer_desc,
            (void)diff_weights_iter_desc, (void)diff_bias_desc, (void)diff_dst_layer_desc,
            (void)diff_dst_iter_desc, (void)flags, (void)alpha, (void)beta, (void)hint_fwd_pd,
            (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_lstm_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, unsigned flags, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)src_iter_c_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)weights_peephole_desc, (void)weights_projection_desc,
            (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc, (void)dst_iter_c_desc,
            (void)flags, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_lstm_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t src_iter_c_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t weights_peephole_desc,
        const_dnnl_memory_desc_t weights_projection_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t dst_iter_c_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc, const_dnnl_memory_desc_t diff_src_iter_c_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc,
        const_dnnl_memory_desc_t diff_weights_peephole_desc,
        const_dnnl_memory_desc_t diff_weights_projection_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_layer_desc,
        const_dnnl_memory_desc_t diff_dst_iter_desc, const_dnnl_memory_desc_t diff_dst_iter_c_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)src_iter_c_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)weights_peephole_desc, (void)weights_projection_desc,
            (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc, (void)dst_iter_c_desc,
            (void)diff_src_layer_desc, (void)diff_src_iter_desc, (void)diff_src_iter_c_desc,
            (void)diff_weights_layer_desc, (void)diff_weights_iter_desc,
            (void)diff_weights_peephole_desc, (void)diff_weights_projection_desc,
            (void)diff_bias_desc, (void)diff_dst_layer_desc, (void)diff_dst_iter_desc,
            (void)diff_dst_iter_c_desc, (void)flags, (void)hint_fwd_pd, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)weights_layer_desc, (void)weights_iter_desc, (void)bias_desc,
            (void)dst_layer_desc, (void)dst_iter_desc, (void)flags, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_gru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)weights_layer_desc, (void)weights_iter_desc, (void)bias_desc,
            (void)dst_layer_desc, (void)dst_iter_desc, (void)diff_src_layer_desc,
            (void)diff_src_iter_desc, (void)diff_weights_layer_desc, (void)diff_weights_iter_desc,
            (void)diff_bias_desc, (void)diff_dst_layer_desc, (void)diff_dst_iter_desc, (void)flags,
            (void)hint_fwd_pd, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_lbr_gru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, unsigned flags, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)weights_layer_desc, (void)weights_iter_desc, (void)bias_desc,
            (void)dst_layer_desc, (void)dst_iter_desc, (void)flags, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_lbr_gru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t weights_layer_desc, const_dnnl_memory_desc_t weights_iter_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_layer_desc,
        const_dnnl_memory_desc_t dst_iter_desc, const_dnnl_memory_desc_t diff_src_layer_desc,
        const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)weights_layer_desc, (void)weights_iter_desc, (void)bias_desc,
            (void)dst_layer_desc, (void)dst_iter_desc, (void)diff_src_layer_desc,
            (void)diff_src_iter_desc, (void)diff_weights_layer_desc, (void)diff_weights_iter_desc,
            (void)diff_bias_desc, (void)diff_dst_layer_desc, (void)diff_dst_iter_desc, (void)flags,
            (void)hint_fwd_pd, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_augru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        unsigned flags, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)attention_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc,
            (void)flags, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_augru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)attention_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc,
            (void)diff_src_layer_desc, (void)diff_src_iter_desc, (void)diff_attention_desc,
            (void)diff_weights_layer_desc, (void)diff_weights_iter_desc, (void)diff_bias_desc,
            (void)diff_dst_layer_desc, (void)diff_dst_iter_desc, (void)flags, (void)hint_fwd_pd,
            (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_lbr_augru_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        unsigned flags, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)attention_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc,
            (void)flags, (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_lbr_augru_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_rnn_direction_t direction,
        const_dnnl_memory_desc_t src_layer_desc, const_dnnl_memory_desc_t src_iter_desc,
        const_dnnl_memory_desc_t attention_desc, const_dnnl_memory_desc_t weights_layer_desc,
        const_dnnl_memory_desc_t weights_iter_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_layer_desc, const_dnnl_memory_desc_t dst_iter_desc,
        const_dnnl_memory_desc_t diff_src_layer_desc, const_dnnl_memory_desc_t diff_src_iter_desc,
        const_dnnl_memory_desc_t diff_attention_desc,
        const_dnnl_memory_desc_t diff_weights_layer_desc,
        const_dnnl_memory_desc_t diff_weights_iter_desc, const_dnnl_memory_desc_t diff_bias_desc,
        const_dnnl_memory_desc_t diff_dst_layer_desc, const_dnnl_memory_desc_t diff_dst_iter_desc,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    (void)primitive_desc, (void)engine, (void)prop_kind, (void)direction, (void)src_layer_desc,
            (void)src_iter_desc, (void)attention_desc, (void)weights_layer_desc,
            (void)weights_iter_desc, (void)bias_desc, (void)dst_layer_desc, (void)dst_iter_desc,
            (void)diff_src_layer_desc, (void)diff_src_iter_desc, (void)diff_attention_desc,
            (void)diff_weights_layer_desc, (void)diff_weights_iter_desc, (void)diff_bias_desc,
            (void)diff_dst_layer_desc, (void)diff_dst_iter_desc, (void)flags, (void)hint_fwd_pd,
            (void)attr;
    return bridge_lacks(__func__, "recurrent primitives");
}
