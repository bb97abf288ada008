// SPDX-License-Identifier: Apache-2.0
// Layouts by number. oneDNN has numbers for more layouts than Prim, which reaches all of them by
// name.
#ifndef PRIM_BRIDGES_ONEDNN_DNNL_TAGS_H
#define PRIM_BRIDGES_ONEDNN_DNNL_TAGS_H

#include "dnnl_bridge.h"

/// "acdb" for dnnl_nhwc, "any", "undef"; the latter too for numbers that are none.
const char *bridge_tag_name(dnnl_format_tag_t tag);

#endif
