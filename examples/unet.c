// SPDX-License-Identifier: Apache-2.0
// U-Net (Ronneberger et al., 2015) end to end on both engines, in the padded form with bilinear
// upsampling, at 256×256: four levels down, four up, skip connections by concatenation.
// Arguments: see net_main() in nets/net.h.
#include "nets/net.h"

enum { NLEVELS = 4, CHANNELS = 64 };

static net_tensor_t double_convolution(net_t *net, net_tensor_t src, prim_dim_t channels)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    const net_tensor_t x = net_convolution(net, src, channels, 3, 1, 1, 1, NET_RELU, none);
    return net_convolution(net, x, channels, 3, 1, 1, 1, NET_RELU, none);
}

static net_tensor_t build(net_t *net, prim_dim_t batch)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    net_tensor_t skips[NLEVELS];
    net_tensor_t x = net_input(net, 4, (const prim_dim_t[]){batch, 1, 256, 256});
    for (int level = 0; level < NLEVELS; ++level) {
        skips[level] = double_convolution(net, x, CHANNELS << level);
        x = net_pool(net, skips[level], PRIM_POOLING_MAX, 2, 2, 0);
    }
    x = double_convolution(net, x, CHANNELS << NLEVELS);
    for (int level = NLEVELS - 1; level >= 0; --level) {
        x = net_upsample(net, x);
        x = net_convolution(net, x, CHANNELS << level, 3, 1, 1, 1, NET_RELU, none);
        x = double_convolution(net, net_concat(net, skips[level], x), CHANNELS << level);
    }
    return net_convolution(net, x, 2, 1, 1, 0, 1, NET_LINEAR, none);
}

int main(int argc, char **argv)
{
    return net_main(argc, argv, "U-Net at 256x256", "images", build);
}
