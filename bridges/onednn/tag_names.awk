# SPDX-License-Identifier: Apache-2.0
# From oneDNN's dnnl_types.h: [dnnl_abcd] = "abcd", for every layout that is not another name of one before.
/dnnl_format_tag_any,/ { is_tag = 1; next }
/dnnl_format_tag_last/ { exit }
is_tag && match($0, /^ *dnnl_[A-La-l0-9]+,/) {
    name = $1
    sub(/,.*/, "", name)
    printf "[%s] = \"%s\",\n", name, substr(name, 6)
}
