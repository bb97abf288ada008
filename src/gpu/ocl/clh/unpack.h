// SPDX-License-Identifier: Apache-2.0
// Vectors to private arrays, element by element, so that the arrays stay in registers if all their
// indices are constants.
#ifndef CLH_UNPACK_H
#define CLH_UNPACK_H

#define UNPACK2(x, p) ((p)[0] = (x).s0, (p)[1] = (x).s1)
#define UNPACK4(x, p) ((p)[0] = (x).s0, (p)[1] = (x).s1, (p)[2] = (x).s2, (p)[3] = (x).s3)
#define UNPACK8(x, p) (UNPACK4((x).lo, p), UNPACK4((x).hi, (p) + 4))
#define UNPACK16(x, p) (UNPACK8((x).lo, p), UNPACK8((x).hi, (p) + 8))

#endif
