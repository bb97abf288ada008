// SPDX-License-Identifier: Apache-2.0
// The same body for libFuzzer: fuzz_target tests/fuzz/corpus.
#include "fuzz_body.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nbytes)
{
    fuzz_run(bytes, nbytes);
    return 0;
}
