// SPDX-License-Identifier: Apache-2.0
// For structs that host and kernel share: headers of this folder are read by the compilers of both.
// Members have the types of CL/cl.h, the widest first, so that neither side has gaps; `reserved`
// fills what is left. SHARED_BYTES(type, n) fails the build, on either side, unless it has n bytes.
#ifndef CLH_SHARED_TYPES_H
#define CLH_SHARED_TYPES_H

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
typedef int cl_int;
typedef uint cl_uint;
typedef long cl_long;
typedef float cl_float;
typedef long4 cl_long4;
typedef long8 cl_long8;
#else
#include <CL/cl.h>
#endif

#define SHARED_BYTES(type, n) typedef char type##_has_other_bytes[sizeof(type) == (n) ? 1 : -1]

#endif
