// SPDX-License-Identifier: Apache-2.0
// Layout names of the command line: named letters (nhwc), abc-notation (acdb) and the meta-tags
// with an x that fit every rank (axb). Letters of abc-notation behind a minus sign name broadcast
// dimensions, of stride 0: abx-b is row-major without dimension b.
#ifndef BENCH_TAG_H
#define BENCH_TAG_H

#include "bench_option.h"

/// Writes the abc-notation of `tag` for a rank: nchw -> abcd, axb -> acdb, aBx16b -> aBcd16b;
/// "any", "image" and "undef" stay; broadcast dimensions are left out. False when the text is no
/// layout at all; whether the rank fits is for the library to say.
bool tag_normalise(const char *tag, int ndims, char out[BENCH_MAX_TAG]);

/// Whether dimension `dim` is a broadcast one.
bool tag_broadcasts(const char *tag, int dim);

/// Whether the text is a well-formed layout for some rank; with `only_numbered` also one of the
/// library's numbered tags.
bool tag_is_valid(const char *tag, bool only_numbered);

#endif
