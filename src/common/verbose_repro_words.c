// SPDX-License-Identifier: Apache-2.0
// The words of benchdnn commands that several operations share; dimensions that are known at
// execution only are replaced by 1.
#include "verbose_repro_words.h"

#include <string.h>

#include "desc_storage.h"
#include "post_ops_check.h"

enum { TAG_BYTES = 64 };

/// The tensor of a word, or its gradient: schemas of forward and backward passes share words. With
/// a depthwise post-op the words are of the dst that this step reads.
static const prim_memory_desc_t *md_of(const prim_desc_t *pd, int arg)
{
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    const int depthwise = prim__post_ops_find_depthwise(post_ops);
    if (arg == PRIM_ARG_DST && depthwise >= 0) return &post_ops->entries[depthwise].src1_md;
    return prim__pd_md(pd, prim__pd_arg_or_diff(pd, arg));
}

static const prim_memory_desc_t *original_md(const prim_desc_t *pd, int arg)
{
    const desc_origin_t *const origin = pd->origin;
    const int of = prim__pd_arg_or_diff(pd, arg);
    for (int i = 0; i < origin->ntensors; ++i)
        if (origin->tensors[i].arg == of) return &origin->tensors[i].md;
    return prim__pd_md(pd, of);
}

/// Behind a layout's name: a minus sign and the letters of broadcast dimensions.
static void add_broadcasts(const prim_memory_desc_t *md, char tag[TAG_BYTES])
{
    size_t length = strlen(tag);
    if (!prim__md_is_broadcast(md) || length + 2 + PRIM_MAX_NDIMS > TAG_BYTES) return;
    tag[length++] = '-';
    for (int d = 0; d < md->ndims; ++d)
        if (md->dims[d] > 1 && md->strides[d] == 0) tag[length++] = (char)('a' + d);
    tag[length] = '\0';
}

/// The layout as the user gave it: "any", or its name. A layout with holes gets the name of
/// the dense one in the same order.
static const char *tag_of(const prim_desc_t *pd, int arg, char tag[TAG_BYTES])
{
    const prim_memory_desc_t *const md = original_md(pd, arg);
    if (prim__md_is_any(md)) return "any";
    prim__md_tag_text(md, tag);
    if (tag[0] != '\0') return tag;
    prim_memory_desc_t dense = *md;
    dense.format_kind = PRIM_FORMAT_KIND_ANY;
    if (prim__md_has_runtime(md) || prim__md_set_like_if_any(&dense, md) != PRIM_SUCCESS)
        return "any";
    prim__md_tag_text(&dense, tag);
    if (tag[0] != '\0') add_broadcasts(md, tag);
    return tag[0] != '\0' ? tag : "any";
}

static bool has_holes(const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = original_md(pd, arg);
    char tag[TAG_BYTES];
    if (md->ndims == 0 || prim__md_is_any(md) || prim__md_has_runtime(md)) return false;
    prim__md_tag_text(md, tag);
    return tag[0] == '\0' && prim__md_is_plain(md);
}

/// The argument of the index-th of a repeated tensor, PRIM_ARG_UNDEF behind the last.
static int nth(const prim_desc_t *pd, int arg, int index)
{
    return prim__pd_has(pd, arg + index) ? arg + index : PRIM_ARG_UNDEF;
}

/// What stands before the index-th of a repeated tensor.
static const char *before(const repro_word_t *word, int index)
{
    return index == 0 ? word->text : ":";
}

static const char *direction_of(const prim_desc_t *pd)
{
    switch (pd->op.prop_kind) {
    case PRIM_BACKWARD: return "BWD_DW";
    case PRIM_BACKWARD_DATA: return "BWD_D";
    case PRIM_BACKWARD_BIAS:
    case PRIM_BACKWARD_WEIGHTS: return prim__pd_has(pd, PRIM_ARG_DIFF_BIAS) ? "BWD_WB" : "BWD_W";
    default: break;
    }
    if (prim__pd_has(pd, PRIM_ARG_BIAS)) return "FWD_B";
    return pd->op.prop_kind == PRIM_FORWARD_INFERENCE ? "FWD_I" : "FWD_D";
}

void prim__repro_dir(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    (void)word;
    prim__text_add(out, " --dir=%s", direction_of(pd));
}

static void add_type(text_buffer_t *out, const char *text, const prim_desc_t *pd, int arg)
{
    prim__text_add(out, "%s%s", text, prim_data_type_name(md_of(pd, arg)->data_type));
}

void prim__repro_type(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    if (prim__pd_has(pd, prim__pd_arg_or_diff(pd, word->arg)))
        add_type(out, word->text, pd, word->arg);
}

void prim__repro_types(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    for (int i = 0, arg; (arg = nth(pd, word->arg, i)) != PRIM_ARG_UNDEF; ++i)
        add_type(out, before(word, i), pd, arg);
}

static void add_tag(text_buffer_t *out, const char *text, const prim_desc_t *pd, int arg)
{
    char tag[TAG_BYTES];
    prim__text_add(out, "%s%s", text, tag_of(pd, arg, tag));
}

void prim__repro_tag(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    add_tag(out, word->text, pd, word->arg);
}

void prim__repro_tags(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    for (int i = 0, arg; (arg = nth(pd, word->arg, i)) != PRIM_ARG_UNDEF; ++i)
        add_tag(out, before(word, i), pd, arg);
}

void prim__repro_holes(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    if (has_holes(pd, word->arg))
        prim__text_add(out, "%sany", word->text);
    else
        add_tag(out, word->text, pd, word->arg);
}

/// S:W:D, with nothing for tensors whose layout has a name.
void prim__repro_strides(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    bool is_needed = false;
    for (const int *arg = word->args; *arg != PRIM_ARG_UNDEF; ++arg)
        is_needed = is_needed || has_holes(pd, *arg);
    if (!is_needed) return;
    prim__text_add(out, " --strides=");
    for (const int *arg = word->args; *arg != PRIM_ARG_UNDEF; ++arg) {
        const prim_memory_desc_t *const md = original_md(pd, *arg);
        if (arg != word->args) prim__text_add(out, ":");
        if (has_holes(pd, *arg)) prim__text_add_dims(out, md->ndims, md->strides);
    }
}

int prim__repro_broadcast_mask(const prim_memory_desc_t *md, const prim_memory_desc_t *full)
{
    int mask = 0;
    for (int d = 0; d < md->ndims; ++d)
        if (md->dims[d] != 1 && md->dims[d] == full->dims[d]) mask |= 1 << d;
    return mask;
}

void prim__repro_add_alg(text_buffer_t *out, const char *option, prim_alg_kind_t alg)
{
    static const char *const prefixes[] = {"eltwise_", "binary_", "resampling_"};
    static const char ending[] = "_use_dst_for_bwd";
    const char *name = prim_alg_kind_name(alg);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
        const size_t len = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], len) == 0) name += len;
    }
    const char *const end = strstr(name, ending);
    if (end)
        prim__text_add(out, "%s%.*s_dst", option, (int)(end - name), name);
    else
        prim__text_add(out, "%s%s", option, name);
}

void prim__repro_alg(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const repro_alg_t *known = word->algs;
    while (known && known->alg != PRIM_ALG_UNDEF && known->alg != pd->op.alg_kind) ++known;
    if (known)
        prim__text_add(out, "%s%s", word->text, known->word ? known->word : "");
    else
        prim__repro_add_alg(out, word->text, pd->op.alg_kind);
}

void prim__repro_int(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const void *const value = (const char *)&pd->op + word->offset;
    prim__text_add(out, "%s%d", word->text, *(const int *)value);
}

void prim__repro_float(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const void *const value = (const char *)&pd->op + word->offset;
    prim__text_add(out, "%s%.9g", word->text, (double)*(const float *)value);
}

void prim__repro_norm_flags(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    static const struct {
        unsigned flag;
        const char *letter;
    } letters[] = {{PRIM_USE_GLOBAL_STATS, "G"}, {PRIM_USE_SCALE, "C"}, {PRIM_USE_SHIFT, "H"},
            {PRIM_FUSE_NORM_RELU, "R"}, {PRIM_FUSE_NORM_ADD_RELU, "A"}};
    prim__text_add(out, "%s", word->text);
    for (size_t i = 0; i < sizeof letters / sizeof *letters; ++i)
        if (pd->op.u.norm.flags & letters[i].flag) prim__text_add(out, "%s", letters[i].letter);
}

static void add_shape(text_buffer_t *out, const char *text, const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = md_of(pd, arg);
    prim_dims_t dims = {0};
    for (int d = 0; d < md->ndims; ++d)
        dims[d] = md->dims[d] == PRIM_RUNTIME_DIM_VAL ? 1 : md->dims[d];
    prim__text_add(out, "%s", text);
    prim__text_add_dims(out, md->ndims, dims);
}

void prim__repro_shape(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    add_shape(out, word->text, pd, word->arg);
}

void prim__repro_shapes(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    for (int i = 0, arg; (arg = nth(pd, word->arg, i)) != PRIM_ARG_UNDEF; ++i)
        add_shape(out, before(word, i), pd, arg);
}

int prim__repro_runtime_mask(const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = original_md(pd, arg);
    int mask = 0;
    for (int d = 0; d < md->ndims; ++d)
        if (md->dims[d] == PRIM_RUNTIME_DIM_VAL) mask |= 1 << d;
    return mask;
}

char prim__repro_letter(int i, int n)
{
    return "dhw"[3 - n + i];
}

void prim__repro_images(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const prim_memory_desc_t *const md = md_of(pd, word->arg);
    prim__text_add(
            out, "%smb%lldic%lld", word->text, (long long)md->dims[0], (long long)md->dims[1]);
}

void prim__repro_outputs(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    prim__text_add(out, "oc%lld", (long long)md_of(pd, word->arg)->dims[1]);
}

void prim__repro_inputs(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const prim_memory_desc_t *const md = md_of(pd, word->arg);
    const int n = md->ndims - 2;
    for (int i = 0; i < n; ++i)
        prim__text_add(out, "i%c%lld", prim__repro_letter(i, n), (long long)md->dims[2 + i]);
}

void prim__repro_add_windows(text_buffer_t *out, const prim_desc_t *pd, const prim_dim_t *kernel)
{
    const prim_memory_desc_t *const src = md_of(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = md_of(pd, PRIM_ARG_DST);
    const spatial_params_t *const spatial = &pd->op.u.spatial;
    const int n = src->ndims - 2;
    for (int i = 0; i < n; ++i) {
        const char c = prim__repro_letter(i, n);
        prim__text_add(out, "_i%c%lldo%c%lldk%c%llds%c%lldd%c%lldp%c%lld", c,
                (long long)src->dims[2 + i], c, (long long)dst->dims[2 + i], c,
                (long long)kernel[i], c, (long long)spatial->strides[i], c,
                (long long)spatial->dilates[i], c, (long long)spatial->pad_l[i]);
    }
}
