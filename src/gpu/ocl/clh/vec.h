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

#if VEC != 1 && VEC != 2 && VEC != 4 && VEC != 8 && VEC != 16
#error "VEC is not 1, 2, 4, 8 or 16"
#endif

#if VEC == 1
typedef float floatv;
typedef int intv;
#define vloadv(p) (*(p))
#define vstorev(x, p) (*(p) = (x))
#define to_floatv convert_float
#define to_intv convert_int
#define VEC_FORM(prefix, verb) prefix##_##verb
#else
typedef RAW_JOIN(float, VEC) floatv;
typedef RAW_JOIN(int, VEC) intv;
#define vloadv(p) RAW_JOIN(vload, VEC)(0, p)
#define vstorev(x, p) RAW_JOIN(vstore, VEC)(x, 0, p)
#define to_floatv RAW_JOIN(convert_float, VEC)
#define to_intv RAW_JOIN(convert_int, VEC)
#define VEC_FORM__(prefix, verb, n) prefix##_##verb##n
#define VEC_FORM_(prefix, verb, n) VEC_FORM__(prefix, verb, n)
#define VEC_FORM(prefix, verb) VEC_FORM_(prefix, verb, VEC)
#endif

#define SRC_LOADV VEC_FORM(SRC, LOAD)
#define SRC_STOREV VEC_FORM(SRC, STORE)
#define DST_LOADV VEC_FORM(DST, LOAD)
#define DST_STOREV VEC_FORM(DST, STORE)
#define WEI_LOADV VEC_FORM(WEI, LOAD)
#define WEI_STOREV VEC_FORM(WEI, STORE)
#define WS_LOADV VEC_FORM(WS, LOAD)
#define WS_STOREV VEC_FORM(WS, STORE)

#if VEC == 1
#define lanes 0
#elif VEC == 2
#define lanes (int2)(0, 1)
#elif VEC == 4
#define lanes (int4)(0, 1, 2, 3)
#elif VEC == 8
#define lanes (int8)(0, 1, 2, 3, 4, 5, 6, 7)
#else
#define lanes (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#endif

#endif
