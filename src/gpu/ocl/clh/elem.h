// SPDX-License-Identifier: Apache-2.0
// elem_t: an element that is moved as it is. -D: ELEM_BYTES: 2 or 4.
#ifndef CLH_ELEM_H
#define CLH_ELEM_H

#if ELEM_BYTES == 2
typedef ushort elem_t;
#elif ELEM_BYTES == 4
typedef uint elem_t;
#else
#error "ELEM_BYTES is 2 or 4"
#endif

#endif
