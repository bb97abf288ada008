// SPDX-License-Identifier: Apache-2.0
// REGISTERS_SUFFICE(work-items): whether the registers of a work-group suffice for so many work-items of any kernel.
// A kernel written for one size of work-group declares it, as the compiler's own limit may be lower; but given a
// size, NVIDIA's assembler limits the registers of a work-item, so that more work-groups are resident, and spills
// what does not fit. Where registers suffice, a kernel with a long epilogue leaves the declaration out.
// -D: GROUP_REGISTERS: 32-bit registers of a work-group, where the device reports them (for all programs).
#ifndef CLH_GROUP_SIZE_H
#define CLH_GROUP_SIZE_H

#ifndef GROUP_REGISTERS
#define GROUP_REGISTERS 0
#endif
#define MAX_ITEM_REGISTERS 256
#define REGISTERS_SUFFICE(items) ((items) * MAX_ITEM_REGISTERS <= GROUP_REGISTERS)

#endif
