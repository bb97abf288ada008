// SPDX-License-Identifier: Apache-2.0
// GROUP_SIZE stands in front of a kernel whose work-groups have GROUP_ITEMS work-items. -DREGISTERS, where it is not 0,
// is a limit of a work-item's registers that the host has passed to the compiler (prim__ocl_options_registers()), which
// ignores it where the attribute stands.
#ifndef CLH_LIMITED_GROUP_H
#define CLH_LIMITED_GROUP_H

#if defined(REGISTERS) && REGISTERS
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
#endif

#endif
