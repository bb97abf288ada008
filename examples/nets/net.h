// SPDX-License-Identifier: Apache-2.0
// A network as a graph (bridges/graph/graph.h): each net_… call adds a layer with seeded weights.
#ifndef EXAMPLES_NET_H
#define EXAMPLES_NET_H

#include "example.h"
#include "graph.h"

/// An activation inside a network.
typedef struct {
    graph_value_t value;
} net_tensor_t;

typedef struct net net_t;

/// What follows the sums of a convolution.
typedef enum { NET_LINEAR, NET_RELU, NET_RELU6 } net_activation_t;

/// A network that computes on `engine` with activations and weights of `type` (f32, f16, bf16);
/// what goes in and comes out is f32. Weights depend on `seed` and the order of layers alone.
/// `folds_norm`: batch normalisations become part of the convolutions' weights and biases; else
/// they are primitives of their own.
net_t *net_create(prim_engine_t *engine, prim_data_type_t type, unsigned seed, bool folds_norm);
void net_destroy(net_t *net);

/// An input, filled with seeded values in [-1, 1): images [n, c, h, w] or sequences [n, s, k].
net_tensor_t net_input(net_t *net, int ndims, const prim_dim_t *dims);

/// Square convolution with batch normalisation; `residual` (GRAPH_ABSENT: none) is added before the
/// activation. groups = channels makes it depthwise.
net_tensor_t net_convolution(net_t *net, net_tensor_t src, prim_dim_t out_channels,
        prim_dim_t kernel, prim_dim_t stride, prim_dim_t pad, prim_dim_t groups,
        net_activation_t activation, net_tensor_t residual);
net_tensor_t net_pool(net_t *net, net_tensor_t src, prim_alg_kind_t alg, prim_dim_t kernel,
        prim_dim_t stride, prim_dim_t pad);
/// Mean over all positions.
net_tensor_t net_global_pool(net_t *net, net_tensor_t src);
/// Bilinear upsampling by 2.
net_tensor_t net_upsample(net_t *net, net_tensor_t src);
/// Channels of `a`, then those of `b`.
net_tensor_t net_concat(net_t *net, net_tensor_t a, net_tensor_t b);
net_tensor_t net_fully_connected(net_t *net, net_tensor_t src, prim_dim_t out_channels);
net_tensor_t net_softmax(net_t *net, net_tensor_t src);
/// A layer of a transformer's encoder over [n, s, k]: attention of `heads` heads, then two products
/// with a GELU and `inner` values between them; each is added to its input and normalised.
net_tensor_t net_encoder_layer(net_t *net, net_tensor_t src, prim_dim_t heads, prim_dim_t inner);

/// The tensor, or what stands for it from now on, can be read after a run.
void net_output(net_t *net, net_tensor_t *tensor);
/// Makes the network ready to run, after the last layer was added.
void net_compile(net_t *net);
/// The shape of a tensor.
const prim_dim_t *net_dims(const net_t *net, net_tensor_t tensor);
/// Runs all layers once and waits.
void net_run(net_t *net);
/// Submits all layers once to the network's stream, which is borrowed.
void net_submit(net_t *net);
prim_stream_t *net_stream(const net_t *net);
/// Number of primitives, reorders included; bytes of all activations and scratchpads, of those
/// alive at once at most, and of all weights.
int net_nprimitives(const net_t *net);
size_t net_activation_bytes(const net_t *net);
size_t net_live_bytes(const net_t *net);
size_t net_weight_bytes(const net_t *net);

/// The row-major f32 memory of an output, and how many values it has. Borrowed.
prim_memory_t *net_memory(const net_t *net, net_tensor_t output, size_t *n);

/// The ‖error‖/‖output‖ to expect of a correct evaluation of the network: the errors of its
/// layers are independent, so their variances add, and pass on with gain 1 because weights are
/// scaled to keep the norm. Two evaluations differ by the root of the sum of both squares;
/// net_main() lets twice that pass.
double net_expected_error(const net_t *net);

/// The main() of a network: builds it on the CPU engine in f32 and on the GPU engine in the type
/// asked for, compares the outputs, prints `unit` per second of both. `name` may hold words behind
/// the network's. Returns the exit code.
/// Arguments: [--keep-norm] [--batch=N] [--type=f32|f16|bf16] [--engine=cpu|gpu] (this one alone)
typedef net_tensor_t (*net_builder_t)(net_t *net, prim_dim_t batch);
int net_main(int argc, char **argv, const char *name, const char *unit, net_builder_t build);

#endif
