// SPDX-License-Identifier: Apache-2.0
// The drivers benchdnn knows, in the order of --help: one for each operation, and zeropad.
#include "core/driver.h"
#include "operations.h"

#define DECLARE(word) extern const driver_t bench_##word##_driver;
FOR_EACH_OPERATION(DECLARE)
DECLARE(zeropad)

#define ENTRY(word) &bench_##word##_driver,
const driver_t *const bench_drivers[] = {FOR_EACH_OPERATION(ENTRY) ENTRY(zeropad) NULL};
