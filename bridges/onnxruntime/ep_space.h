// SPDX-License-Identifier: Apache-2.0
// Addresses for buffers of a device. The runtime takes a tensor's place for an address and adds to
// it; a buffer of OpenCL has none. So each buffer gets a range of addresses that nothing lies
// behind, and an address in it stands for the buffer and an offset.
#ifndef EP_SPACE_H
#define EP_SPACE_H

#include <prim/prim.h>
#include <stdbool.h>
#include <stddef.h>

/// The buffers of one device, which sessions share. Any thread may call the functions.
typedef struct ep_space ep_space_t;

/// For the OpenCL device of that number, which is opened when it is needed. NULL when memory is
/// short.
ep_space_t *ep_space_create(size_t device);
/// All its buffers were freed.
void ep_space_destroy(ep_space_t *space);
/// The engine on the device; it lives as long as the space.
prim_status_t ep_space_get_engine(ep_space_t *space, prim_engine_t **engine);

/// The address of a new buffer; NULL when `bytes` is 0, or when there is none, which the runtime
/// takes for an address: the functions below then fail with the reason.
void *ep_space_allocate(ep_space_t *space, size_t bytes);
void ep_space_free(ep_space_t *space, void *address);
/// What stands behind the address: a buffer as graph_bind() takes it, and an offset.
/// @retval PRIM_INVALID_ARGUMENTS nothing does
prim_status_t ep_space_find(ep_space_t *space, const void *address, void **handle, size_t *offset);

/// Copies bytes between addresses: of a space, or of the host where the space is NULL.
prim_status_t ep_space_copy(
        ep_space_t *to, void *dst, ep_space_t *from, const void *src, size_t bytes);

#endif
