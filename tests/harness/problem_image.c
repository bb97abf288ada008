// SPDX-License-Identifier: Apache-2.0
#include "problem_image.h"

const char *image_type(draw_t *d)
{
    return once_in(d, 3) ? "f16" : "f32";
}

/// What follows an operation on images; operands in buffers and in images.
void put_image_chain(draw_t *d)
{
    static const char *const chains[] = {"", "relu", "relu:0.5", "add:f32:per_oc",
            "add:f32:per_tensor:image", "mul:f32:common+linear:2:1", "prelu:per_oc",
            "sub:f32:per_oc+div:f32:per_tensor:image", "max:f16:per_tensor+tanh",
            "clip:-2:3+add:f16:per_tensor:image+mul:f32:per_oc"};
    const char *const chain = PICK(d, chains);
    note(d, "chain=%s", chain);
    put(d, " --attr-post-ops=%s", chain);
}

void put_image_operand(draw_t *d)
{
    static const char *const chains[] = {
            "", "add:f32:per_oc", "mul:f32:per_tensor:image", "sub:f16:per_tensor"};
    const char *const chain = PICK(d, chains);
    note(d, "chain=%s", chain);
    put(d, " --attr-post-ops=%s", chain);
}

int image_rank(draw_t *d)
{
    const int ndims = 2 + (int)pick(d, 3);
    note(d, "ndims=%d", ndims);
    return ndims;
}

/// One or two spatial dimensions.
void put_image_windows(draw_t *d)
{
    for (int axis = once_in(d, 5); axis < 2; ++axis) {
        const char x = "hw"[axis];
        const int k = once_in(d, 3) ? 1 : 1 + (int)pick(d, 3), dilation = once_in(d, 5);
        const int reach = (k - 1) * (dilation + 1) + 1, stride = 1 + (int)pick(d, 2);
        const int pad = (int)pick(d, (uint32_t)(reach + 1) / 2);
        put(d, "i%c%dk%c%ds%c%dp%c%dd%c%d", x, reach + (int)pick_size(d, 12), x, k, x, stride, x,
                pad, x, dilation);
        if (axis == 0) continue;
        note(d, "kernel=%d", k);
        note(d, "stride=%d", stride);
        note(d, "dilation=%d", dilation);
    }
}
