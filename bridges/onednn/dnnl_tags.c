// SPDX-License-Identifier: Apache-2.0
// The names of oneDNN's numbered layouts. dnnl_tag_names.inc is written at build time from the
// enumerators of oneDNN's header (tag_names.awk): lines [dnnl_abcd] = "abcd",
#include "dnnl_tags.h"

static const char *const names[] = {
        [dnnl_format_tag_undef] = "undef",
        [dnnl_format_tag_any] = "any",
#include "dnnl_tag_names.inc"
};

const char *bridge_tag_name(dnnl_format_tag_t tag)
{
    const size_t index = (size_t)tag;
    const char *const name = index < sizeof names / sizeof *names ? names[index] : NULL;
    return name ? name : names[dnnl_format_tag_undef];
}
