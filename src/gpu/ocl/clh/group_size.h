// SPDX-License-Identifier: Apache-2.0
// REGISTERS_SUFFICE(items): whether a group of so many items has registers for any kernel, whatever the
// compiler gives an item. A kernel is right for one size of group and names it, else its own limit may
// be lower; but NVIDIA's assembler keeps groups of a named size to fewer registers, for more groups on a
// unit, and spills what does not fit. Where registers suffice, a kernel with much to do behind its loop
// leaves the name out.
// -D: GROUP_REGISTERS: registers of 32 bits of a group, where the device tells (for all programs).
#ifndef CLH_GROUP_SIZE_H
#define CLH_GROUP_SIZE_H

#ifndef GROUP_REGISTERS
#define GROUP_REGISTERS 0
#endif
#define MAX_ITEM_REGISTERS 256
#define REGISTERS_SUFFICE(items) ((items) * MAX_ITEM_REGISTERS <= GROUP_REGISTERS)

#endif
