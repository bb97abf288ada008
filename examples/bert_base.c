// SPDX-License-Identifier: Apache-2.0
// The encoder of BERT-base (Devlin et al., 2018): 12 layers of 768 values and 12 heads over
// sequences of 384 embeddings, end to end on both engines. Arguments: see net_main() in nets/net.h.
#include "nets/net.h"

enum { LENGTH = 384, SIZE = 768, INNER = 3072, HEADS = 12, NLAYERS = 12 };

static net_tensor_t build(net_t *net, prim_dim_t batch)
{
    net_tensor_t x = net_input(net, 3, (const prim_dim_t[]){batch, LENGTH, SIZE});
    for (int layer = 0; layer < NLAYERS; ++layer) x = net_encoder_layer(net, x, HEADS, INNER);
    return x;
}

int main(int argc, char **argv)
{
    return net_main(argc, argv, "BERT-base, 384 positions", "sequences", build);
}
