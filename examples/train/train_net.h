// SPDX-License-Identifier: Apache-2.0
// A network that learns, as lists of primitives: each layer adds a step to the forward pass, the
// steps of its gradients to the backward pass, and its parameters to one flat vector, which SGD
// with momentum updates.
#ifndef EXAMPLES_TRAIN_NET_H
#define EXAMPLES_TRAIN_NET_H

#include <stdbool.h>

#include "example.h"

enum {
    TRAIN_MAX_STEPS = 320,
    TRAIN_MAX_ARGS = 10,
    TRAIN_MAX_PARAMS = 192,
    TRAIN_MAX_PRIMITIVES = 1024,
    TRAIN_MAX_MEMORIES = 2048
};

/// An activation and the gradient of the loss by it (NULL for what needs none).
typedef struct {
    prim_memory_t *value, *gradient;
} train_tensor_t;

/// One execution.
typedef struct {
    const prim_t *primitive;
    int nargs;
    prim_arg_t args[TRAIN_MAX_ARGS];
    const struct train_param
            *completes; ///< whose gradient it writes, and of those after it; or NULL
} train_step_t;

typedef struct {
    int nsteps;
    train_step_t steps[TRAIN_MAX_STEPS];
} train_list_t;

/// A tensor of parameters: a piece of the flat vectors.
typedef struct train_param {
    prim_memory_desc_t md;            ///< f32, plain
    size_t offset_elems;              ///< in the vectors
    prim_memory_t *master, *gradient; ///< f32
    prim_memory_t *copy; ///< what layers read, where that is not master; NULL: none yet
    float limit, first;  ///< starts uniform in first ± limit
} train_param_t;

typedef struct {
    float rate, momentum;
    float loss_scale; ///< gradients are so much larger until the update: small ones survive in f16
} train_sgd_t;

typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_data_type_t type; ///< of activations, their gradients, and the weights that layers read
    prim_dim_t batch;

    train_list_t prepare; ///< master weights → the copies that layers read
    train_list_t forward, update;
    train_list_t backward; ///< runs from its end to its beginning
    train_list_t infer;    ///< the forward pass with running statistics

    int nparams;
    train_param_t params[TRAIN_MAX_PARAMS];
    size_t nparam_elems;
    prim_memory_t *master, *gradient, *velocity; ///< all parameters, one after the other

    // Without buffers of their own: each step looks at its part of an epoch.
    prim_memory_t *input;     ///< [batch, channels, side, side], f32
    prim_memory_t *target;    ///< [batch, classes], f32: the gradient of the loss by log_probs
    prim_memory_t *log_probs; ///< [batch, classes], f32

    int nprimitives, nmemories;
    prim_t *primitives[TRAIN_MAX_PRIMITIVES];
    prim_memory_t *memories[TRAIN_MAX_MEMORIES];
} train_net_t;

train_net_t *train_net_create(prim_engine_t *engine, prim_data_type_t type, prim_dim_t batch);
void train_net_destroy(train_net_t *net);

/// @name Layers
/// Activations are NHWC of the network's type.
/// @{
train_tensor_t train_input(train_net_t *net, prim_dim_t channels, prim_dim_t side);
/// Square, without bias, padded to keep the size where the stride is 1.
train_tensor_t train_convolution(train_net_t *net, train_tensor_t src, prim_dim_t out_channels,
        prim_dim_t kernel, prim_dim_t stride);
/// Batch normalisation; with PRIM_FUSE_NORM_RELU or, adding `residual`, PRIM_FUSE_NORM_ADD_RELU
/// as `fused`. `residual` is not looked at elsewhere.
train_tensor_t train_norm(
        train_net_t *net, train_tensor_t src, unsigned fused, train_tensor_t residual);
/// Layer normalisation over the channels of each position or, with `groups` above 0, group
/// normalisation, then the residual unless its memory is NULL, then relu if asked for. Unlike a
/// batch's, their statistics do not depend on other images.
train_tensor_t train_layer_norm(train_net_t *net, train_tensor_t src, prim_dim_t groups,
        bool has_relu, train_tensor_t residual);
/// Two users of one tensor: their gradients add up to its own.
void train_fork(train_net_t *net, train_tensor_t src, train_tensor_t uses[2]);
/// Maxima of 3×3 windows at every second position.
train_tensor_t train_max_pool(train_net_t *net, train_tensor_t src);
/// Mean over all positions.
train_tensor_t train_global_pool(train_net_t *net, train_tensor_t src);
/// With bias; dst is f32.
train_tensor_t train_fully_connected(train_net_t *net, train_tensor_t src, prim_dim_t outputs);
/// Log-softmax: the loss is −Σ target·log_probs / loss_scale of a target that holds
/// −loss_scale/batch where the digit is.
void train_loss(train_net_t *net, train_tensor_t logits);
/// @}

/// After the last layer: allocates the parameters, draws their first values, and makes the update.
void train_net_finish(train_net_t *net, const train_sgd_t *sgd, unsigned seed);

/// Each runs a part on the stream, and does not wait.
void train_forward(train_net_t *net);
void train_update(train_net_t *net);
void train_infer(train_net_t *net);
/// Calls `ready`, unless NULL, after each step was submitted: from element `first` of the vector of
/// gradients on, all are what they will be when the stream is done. It sinks to 0.
void train_backward(train_net_t *net, void (*ready)(void *user, size_t first), void *user);

// What layers are made with.

/// Zeros on the host, for free(); ends the program where there is no memory.
float *train_floats(size_t n);
/// Owned by the network.
prim_memory_t *train_memory(train_net_t *net, const prim_memory_desc_t *md, void *handle);
/// A memory and its gradient.
train_tensor_t train_tensor(train_net_t *net, const prim_memory_desc_t *md);
/// Makes the descriptor a primitive of the network, and destroys it.
const prim_t *train_primitive(train_net_t *net, prim_desc_t *pd);
/// `args` end with argument 0; arguments without a memory are left out.
void train_add(train_list_t *list, const prim_t *primitive, const prim_arg_t *args);
/// The last step of the backward pass completes the gradient of the parameter, and of those after
/// it: layers add theirs in reverse.
void train_completes(train_net_t *net, const train_param_t *param);
/// A plain f32 tensor of parameters that starts uniform in first ± limit.
train_param_t *train_param(
        train_net_t *net, int ndims, const prim_dim_t *dims, float first, float limit);
/// Has the parameters copied to the layout and type that a layer wants before each forward pass.
prim_memory_t *train_copy_of(train_net_t *net, train_param_t *param, const prim_memory_desc_t *md);

#endif
