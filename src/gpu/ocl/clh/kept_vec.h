// SPDX-License-Identifier: Apache-2.0
// Vectors that a work-item holds in registers until it needs them again: in their storage type (clh/raw_vec.h) where that
// is shorter, which takes fewer registers, else as floats:
//   kept_t                              the type
//   kept_load(p), kept_load_streaming(p)  p is aligned to a vector; passing: a streaming load
//   kept_to_floatv(x), kept_of_floatv(x)
//   kept_hide(&x, zero)                 see rawv_hide()
// -D: those of clh/raw_vec.h.
#ifndef CLH_KEPT_VEC_H
#define CLH_KEPT_VEC_H

#include "clh/raw_vec.h"

#if IS_RAW
typedef rawv kept_t;
#define kept_to_floatv rawv_to_floatv
#define kept_of_floatv rawv_of_floatv
#define kept_load rawv_load
#define kept_hide rawv_hide
#define kept_load_streaming rawv_load_streaming
#else
typedef floatv kept_t;
#define kept_to_floatv(x) (x)
#define kept_of_floatv(x) (x)
#define kept_hide(x, zero)
#define kept_load(p) SRC_LOADV(AS_ALIGNED(SRC_T, VEC, p), 0)
#define kept_load_streaming kept_load
#endif

#endif
