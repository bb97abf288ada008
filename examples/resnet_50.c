// SPDX-License-Identifier: Apache-2.0
// ResNet-50 (He et al., "Deep Residual Learning for Image Recognition", 2015, table 1; the stride
// stands at the 3×3 convolution) end to end on both engines. Arguments: see net_main() in
// nets/net.h.
#include "nets/net.h"

/// 1×1 to fewer channels, 3×3, 1×1 to four times as many; the shortcut is a 1×1 convolution where
/// the shape changes.
static net_tensor_t bottleneck(net_t *net, net_tensor_t src, prim_dim_t channels, prim_dim_t stride)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    const prim_dim_t out = 4 * channels;
    const bool changes = net_dims(net, src)[1] != out;
    const net_tensor_t shortcut =
            changes ? net_convolution(net, src, out, 1, stride, 0, 1, NET_LINEAR, none) : src;
    net_tensor_t x = net_convolution(net, src, channels, 1, 1, 0, 1, NET_RELU, none);
    x = net_convolution(net, x, channels, 3, stride, 1, 1, NET_RELU, none);
    return net_convolution(net, x, out, 1, 1, 0, 1, NET_RELU, shortcut);
}

static net_tensor_t build(net_t *net, prim_dim_t batch)
{
    static const struct {
        prim_dim_t channels, nblocks;
    } stages[] = {{64, 3}, {128, 4}, {256, 6}, {512, 3}};
    const net_tensor_t none = {GRAPH_ABSENT};
    net_tensor_t x = net_input(net, 4, (const prim_dim_t[]){batch, 3, 224, 224});
    x = net_convolution(net, x, 64, 7, 2, 3, 1, NET_RELU, none);
    x = net_pool(net, x, PRIM_POOLING_MAX, 3, 2, 1);
    for (int s = 0; s < 4; ++s)
        for (int b = 0; b < stages[s].nblocks; ++b)
            x = bottleneck(net, x, stages[s].channels, b == 0 && s > 0 ? 2 : 1);
    x = net_global_pool(net, x);
    return net_fully_connected(net, x, 1000);
}

int main(int argc, char **argv)
{
    return net_main(argc, argv, "ResNet-50 at 224x224", "images", build);
}
