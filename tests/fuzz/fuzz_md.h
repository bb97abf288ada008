// SPDX-License-Identifier: Apache-2.0
// Random memory descriptors: in layouts that the library makes, and made by hand.
#ifndef PRIM_TESTS_FUZZ_MD_H
#define PRIM_TESTS_FUZZ_MD_H

#include "fuzz_input.h"

/// Ends the program with a sentence unless `condition`: a promise of prim.h is broken.
#define FUZZ_PROMISE(condition, promise)                  \
    do {                                                  \
        if (!(condition)) fuzz_fail(__func__, (promise)); \
    } while (0)
void fuzz_fail(const char *where, const char *promise);

/// What a call returned: failures have left a sentence.
void fuzz_check_status(prim_status_t status);

/// A tensor of the shape in some layout; absent when there is none of the layout drawn. Now and
/// then its fields are broken afterwards.
void fuzz_md_of(prim_memory_desc_t *md, fuzz_input_t *in, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type);
/// A kind of layout for all tensors of a call, or 0.
int fuzz_layout(fuzz_input_t *in);
/// A tensor of any shape; often made by hand.
void fuzz_md(prim_memory_desc_t *md, fuzz_input_t *in);

/// Every function that reads a descriptor and makes nothing, and what they promise of each other.
void fuzz_md_read(const prim_memory_desc_t *md);
/// One call of a function that makes a descriptor.
void fuzz_md_call(fuzz_input_t *in);

#endif
