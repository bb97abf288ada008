// SPDX-License-Identifier: Apache-2.0
// The data types that the engines know, for drivers whose options name types freely.
#ifndef BENCH_TYPE_SKIP_H
#define BENCH_TYPE_SKIP_H

#include "core/driver.h"

/// SKIP_DATA_TYPE_NOT_SUPPORTED if some type of the options number `first` to `last` (OPTION_DT) is
/// one that the tested engine only knows by name: 4-bit types, e8m0 and boolean anywhere, f64 and
/// the 8-bit floats on OpenCL devices.
skip_reason_t skip_types(const prb_t *prb, int first, int last);

#endif
