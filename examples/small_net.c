// SPDX-License-Identifier: Apache-2.0
// The two-layer network 1×3×416×416 → convolution, 10 channels, 4×4, stride 4 → max pool 2×2. A
// published OpenCL engine reports 480 images per second for it on a 32-core Xeon.
// Arguments: see net_main() in nets/net.h.
#include "nets/net.h"

static net_tensor_t build(net_t *net, prim_dim_t batch)
{
    const net_tensor_t none = {GRAPH_ABSENT};
    net_tensor_t x = net_input(net, 4, (const prim_dim_t[]){batch, 3, 416, 416});
    x = net_convolution(net, x, 10, 4, 4, 0, 1, NET_LINEAR, none);
    return net_pool(net, x, PRIM_POOLING_MAX, 2, 2, 0);
}

int main(int argc, char **argv)
{
    const int status = net_main(argc, argv, "small net at 416x416", "images", build);
    printf("  (a published OpenCL engine: 480 images/s on a 32-core Xeon)\n");
    return status;
}
