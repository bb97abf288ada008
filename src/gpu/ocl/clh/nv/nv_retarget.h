// SPDX-License-Identifier: Apache-2.0
// What stands in front of an instruction of sm_90a in PTX: a comment, which ocl_retarget.h takes away.
#ifndef CLH_NV_RETARGET_H
#define CLH_NV_RETARGET_H

#define NV_RETARGET_MARK "\n\t//@@ "

#endif
