// SPDX-License-Identifier: Apache-2.0
// ALWAYS_INLINE in front of a function: inlined wherever it is called, so that arguments which are constants there shape
// its code, and arrays passed by pointer stay in registers.
#ifndef CLH_ALWAYS_INLINE_H
#define CLH_ALWAYS_INLINE_H

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
