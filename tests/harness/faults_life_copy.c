// SPDX-License-Identifier: Apache-2.0
// The step of a life in which the host reads a tensor and writes it back.
#include "faults_life.h"

prim_status_t life_copy_through_host(life_t *life)
{
    static unsigned char bytes[1 << 16];
    prim_memory_t *const memory = life->c.args[0].memory;
    const size_t nbytes = prim_memory_desc_get_size(prim_memory_get_desc(memory));
    if (nbytes > sizeof bytes) return PRIM_INVALID_ARGUMENTS;
    const prim_status_t st = prim_memory_read(memory, bytes, nbytes, 0);
    return st == PRIM_SUCCESS ? prim_memory_write(memory, bytes, nbytes, 0) : st;
}
