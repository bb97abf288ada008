// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 (Sandler et al., 2018, table 2) end to end on both engines.
// Arguments: see net_main() in nets/net.h.
#include "nets/net.h"

/// Expansion, depthwise, linear projection; the shortcut where the shape stays.
static net_tensor_t inverted_residual(
        net_t *net, net_tensor_t src, prim_dim_t channels, prim_dim_t stride, prim_dim_t expansion)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    const prim_dim_t in = net_dims(net, src)[1];
    const prim_dim_t inner = in * expansion;
    net_tensor_t x = src;
    if (expansion != 1) x = net_convolution(net, x, inner, 1, 1, 0, 1, NET_RELU6, none);
    x = net_convolution(net, x, inner, 3, stride, 1, inner, NET_RELU6, none);
    return net_convolution(
            net, x, channels, 1, 1, 0, 1, NET_LINEAR, in == channels && stride == 1 ? src : none);
}

static net_tensor_t build(net_t *net, prim_dim_t batch)
{
    static const struct {
        prim_dim_t expansion, channels, nblocks, stride;
    } stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1},
            {6, 160, 3, 2}, {6, 320, 1, 1}};
    const net_tensor_t none = {GRAPH_ABSENT};
    net_tensor_t x = net_input(net, 4, (const prim_dim_t[]){batch, 3, 224, 224});
    x = net_convolution(net, x, 32, 3, 2, 1, 1, NET_RELU6, none);
    for (size_t s = 0; s < sizeof stages / sizeof *stages; ++s)
        for (int b = 0; b < stages[s].nblocks; ++b)
            x = inverted_residual(
                    net, x, stages[s].channels, b == 0 ? stages[s].stride : 1, stages[s].expansion);
    x = net_convolution(net, x, 1280, 1, 1, 0, 1, NET_RELU6, none);
    x = net_global_pool(net, x);
    x = net_fully_connected(net, x, 1000);
    net_tensor_t scores = net_softmax(net, x);
    net_output(net, &scores);
    return x; // the engines are compared before the softmax, which would hide differences
}

int main(int argc, char **argv)
{
    return net_main(argc, argv, "MobileNetV2 at 224x224", "images", build);
}
