// SPDX-License-Identifier: Apache-2.0
// Self-test of shared virtual memory: pointers in the place of buffers.
//
//   src   [64] f32
//   dst   [64] f32: src + 1
// Grid: x = 64, in one group. Numerics: exact, the host chooses the values so. -D: none.
__kernel void svm_next(__global const float *src, __global float *dst)
{
    const int i = (int)get_global_id(0);
    dst[i] = src[i] + 1.0f;
}
