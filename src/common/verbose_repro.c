// SPDX-License-Identifier: Apache-2.0
// The benchdnn command that repeats a problem: the words that its schema lists.
#include "verbose_repro.h"

#include "common/ops/schema_table.h"
#include "verbose.h"
#include "verbose_attr.h"
#include "verbose_repro_words.h"

void prim__verbose_repro(const prim_desc_t *pd, char *text, size_t text_bytes)
{
    const op_schema_t *const schema = prim__schema_of(&pd->op);
    text_buffer_t out = prim__text_buffer(text, text_bytes);
    prim__text_add(
            &out, "--%s --engine=%s", schema->driver, prim_engine_kind_name(pd->engine->ops->kind));
    if (pd->engine->index > 0) prim__text_add(&out, ":%zu", pd->engine->index);
    for (const repro_word_t *word = schema->repro; word->add || word->is_attr; ++word) {
        if (word->is_attr)
            prim__repro_attr(&out, pd);
        else
            word->add(&out, pd, word);
    }
}
