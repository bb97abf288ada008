// SPDX-License-Identifier: Apache-2.0
// The factory of providers: what sessions share.
#ifndef EP_FACTORY_H
#define EP_FACTORY_H

#include "ep.h"

#include <pthread.h>

/// Devices that can hold the runtime's tensors; it has room for eight entries of a provider.
enum { MAX_SPACES = 7 };

typedef struct factory {
    ort_factory_t base;
    size_t nspaces;
    ep_space_t *spaces[MAX_SPACES];       ///< by the number of the OpenCL device
    ort_memory_info_t *infos[MAX_SPACES]; ///< how the runtime knows their memory
    ort_data_transfer_t transfer;
    pthread_mutex_t lock;            ///< of the registry
    ort_kernel_registry_t *registry; ///< copies between the host's nodes and groups
} factory_t;

/// Fills in the factory's slots for memory of devices, and lists the devices where the runtime
/// takes kernels of providers (1.24), without which it could not copy.
ort_status_t *ep_memory_init(factory_t *factory, bool has_kernels);
void ep_memory_destroy(factory_t *factory);
/// The kernels of the runtime's own copies, which are made at the first call.
ort_status_t *ep_copies_get(factory_t *factory, const ort_kernel_registry_t **registry);

/// Copies a tensor to another one, on whatever devices they are.
ort_status_t *ep_copy_tensor(factory_t *factory, const ort_value_t *src, ort_value_t *dst);

#endif
