// SPDX-License-Identifier: Apache-2.0
// ResNet-50 (nets/resnet.h) end to end on both engines. Arguments: see net_main() in nets/net.h.
#include "nets/resnet.h"

/// 1×1 to fewer channels, 3×3 with the stride, 1×1 to four times as many.
static net_tensor_t bottleneck(net_t *net, net_tensor_t src, prim_dim_t channels, prim_dim_t stride)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    const net_tensor_t shortcut = resnet_shortcut(net, src, 4 * channels, stride);
    net_tensor_t x = net_convolution(net, src, channels, 1, 1, 0, 1, NET_RELU, none);
    x = net_convolution(net, x, channels, 3, stride, 1, 1, NET_RELU, none);
    return net_convolution(net, x, 4 * channels, 1, 1, 0, 1, NET_RELU, shortcut);
}

static net_tensor_t build(net_t *net, prim_dim_t batch)
{
    return resnet_scores(net, batch, bottleneck);
}

int main(int argc, char **argv)
{
    return net_main(argc, argv, "ResNet-50 at 224x224", "images", build);
}
