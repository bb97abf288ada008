// SPDX-License-Identifier: Apache-2.0
// Mean, variance and their refinement: arithmetic that normalisations share.
#ifndef CLH_NORM_H
#define CLH_NORM_H

// a / b, one step closer than the device's own division, which OpenCL C allows to be two and a half
// units off: quotients that are floating-point numbers come out exactly.
static inline float divide_refined(float a, float b)
{
    const float quotient = a / b;
    return quotient + fma(-quotient, b, a) / b;
}

// 1/√(variance + epsilon)
static inline float inverse_deviation(float variance, float epsilon)
{
    return 1.0f / sqrt(variance + epsilon);
}

#endif
