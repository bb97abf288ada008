// SPDX-License-Identifier: Apache-2.0
// The body of the fuzz programs: bytes in, calls of the functions of descriptors out.
#ifndef PRIM_TESTS_FUZZ_BODY_H
#define PRIM_TESTS_FUZZ_BODY_H

#include <stddef.h>
#include <stdint.h>

/// Makes calls until the bytes are used up, and returns how many; each creates descriptors, asks
/// about them and destroys them. The first byte tells where, and whether all is logged. Opens the
/// engines at the first call: the CPU, and GPU 0 where there is one.
long fuzz_run(const uint8_t *bytes, size_t nbytes);
/// Closes the engines.
void fuzz_close(void);
/// Lines that were logged so far.
long fuzz_lines_logged(void);

#endif
