// SPDX-License-Identifier: Apache-2.0
// One spelling for vectors of VEC = 1, 2, 4, 8 or 16 elements:
//   floatv, intv           types; VEC 1 is a scalar, of which select() and comparisons work alike
//   lanes                  (intv)(0, 1, …, VEC − 1)
//   vloadv(p), vstorev(x, p)     from and to private arrays, or global ones of the same type
//   SRC_LOADV, DST_LOADV, WEI_LOADV, WS_LOADV, SRC_STOREV, … the forms of clh/io_vec.h for VEC
//   VEC_FORM(DIFF_DST, LOAD)     that form of another prefix than these: DIFF_DST_LOAD<VEC>
//   to_floatv(x), to_intv(x)     conversions
// -D: VEC.
#ifndef CLH_VEC_H
#define CLH_VEC_H

#include "clh/io_vec.h"

#ifndef VEC
#error "clh/vec.h needs VEC"
#endif

#define VEC_FORM__(prefix, verb, n) prefix##_##verb##n
#define VEC_FORM_(prefix, verb, n) VEC_FORM__(prefix, verb, n)
#define VEC_FORM(prefix, verb) VEC_FORM_(prefix, verb, VEC)

#if VEC == 1
typedef float floatv;
typedef int intv;
#define lanes 0
#define vloadv(p) (*(p))
#define vstorev(x, p) (*(p) = (x))
#define to_floatv convert_float
#define to_intv convert_int
#define SRC_LOADV SRC_LOAD
#define SRC_STOREV SRC_STORE
#define DST_LOADV DST_LOAD
#define DST_STOREV DST_STORE
#define WEI_LOADV WEI_LOAD
#define WEI_STOREV WEI_STORE
#define WS_LOADV WS_LOAD
#define WS_STOREV WS_STORE
#elif VEC == 2
typedef float2 floatv;
typedef int2 intv;
#define lanes (int2)(0, 1)
#define vloadv(p) vload2(0, p)
#define vstorev(x, p) vstore2(x, 0, p)
#define to_floatv convert_float2
#define to_intv convert_int2
#define SRC_LOADV SRC_LOAD2
#define SRC_STOREV SRC_STORE2
#define DST_LOADV DST_LOAD2
#define DST_STOREV DST_STORE2
#define WEI_LOADV WEI_LOAD2
#define WEI_STOREV WEI_STORE2
#define WS_LOADV WS_LOAD2
#define WS_STOREV WS_STORE2
#elif VEC == 4
typedef float4 floatv;
typedef int4 intv;
#define lanes (int4)(0, 1, 2, 3)
#define vloadv(p) vload4(0, p)
#define vstorev(x, p) vstore4(x, 0, p)
#define to_floatv convert_float4
#define to_intv convert_int4
#define SRC_LOADV SRC_LOAD4
#define SRC_STOREV SRC_STORE4
#define DST_LOADV DST_LOAD4
#define DST_STOREV DST_STORE4
#define WEI_LOADV WEI_LOAD4
#define WEI_STOREV WEI_STORE4
#define WS_LOADV WS_LOAD4
#define WS_STOREV WS_STORE4
#elif VEC == 8
typedef float8 floatv;
typedef int8 intv;
#define lanes (int8)(0, 1, 2, 3, 4, 5, 6, 7)
#define vloadv(p) vload8(0, p)
#define vstorev(x, p) vstore8(x, 0, p)
#define to_floatv convert_float8
#define to_intv convert_int8
#define SRC_LOADV SRC_LOAD8
#define SRC_STOREV SRC_STORE8
#define DST_LOADV DST_LOAD8
#define DST_STOREV DST_STORE8
#define WEI_LOADV WEI_LOAD8
#define WEI_STOREV WEI_STORE8
#define WS_LOADV WS_LOAD8
#define WS_STOREV WS_STORE8
#elif VEC == 16
typedef float16 floatv;
typedef int16 intv;
#define lanes (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define vloadv(p) vload16(0, p)
#define vstorev(x, p) vstore16(x, 0, p)
#define to_floatv convert_float16
#define to_intv convert_int16
#define SRC_LOADV SRC_LOAD16
#define SRC_STOREV SRC_STORE16
#define DST_LOADV DST_LOAD16
#define DST_STOREV DST_STORE16
#define WEI_LOADV WEI_LOAD16
#define WEI_STOREV WEI_STORE16
#define WS_LOADV WS_LOAD16
#define WS_STOREV WS_STORE16
#else
#error "VEC is not 1, 2, 4, 8 or 16"
#endif

#endif
