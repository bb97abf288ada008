// SPDX-License-Identifier: Apache-2.0
// What recordings refuse, on every engine.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "recording_rig.h"

static void refuses_wrong_captures(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        prim_recording_t *recording = UNTOUCHED(prim_recording_t *);
        int count = 7;
        api_expect(prim_recording_begin(NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_end(&recording, rig.stream), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_end(&recording, NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        api_expect(prim_recording_begin(rig.stream), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_end(NULL, rig.stream), PRIM_INVALID_ARGUMENTS);
        assert_ptr_equal(recording, api_untouched());
        recording = rig_end(rig.stream); // neither failure ended the capture
        api_expect(prim_recording_get_count(NULL, &count), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_get_count(recording, NULL), PRIM_INVALID_ARGUMENTS);
        assert_int_equal(count, 7);
        prim_recording_destroy(recording);
        prim_stream_t *unordered = NULL;
        if (prim_stream_create(&unordered, rig.engine, PRIM_STREAM_OUT_OF_ORDER) == PRIM_SUCCESS)
            api_expect(prim_recording_begin(unordered), PRIM_UNIMPLEMENTED);
        prim_stream_destroy(unordered);
        rig_close(&rig);
    }
}

static void expect_refusal(prim_recording_t *recording, prim_stream_t *stream, int nswaps,
        const prim_memory_swap_t *swaps, const char *sentence)
{
    api_expect(prim_recording_replay(recording, stream, nswaps, swaps), PRIM_INVALID_ARGUMENTS);
    if (!strstr(prim_last_error(), sentence))
        fail_msg("\"%s\" lacks %s", prim_last_error(), sentence);
}

static void refuses_wrong_replays(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        prim_recording_t *const recording = rig_record_step(&rig);
        prim_engine_t *const other_engine = api_engine(e ? 0 : 1);
        const prim_memory_desc_t md = api_vector(N), shorter_md = api_vector(N - 1);
        prim_memory_t *c = api_memory(&md, rig.engine), *none = NULL;
        prim_memory_t *const shorter = api_memory(&shorter_md, rig.engine);
        api_expect(prim_memory_create(&none, &md, rig.engine, PRIM_MEMORY_NONE), PRIM_SUCCESS);
        const prim_memory_swap_t null_to[] = {{rig.a, NULL}}, null_from[] = {{NULL, c}};
        const prim_memory_swap_t short_to[] = {{rig.a, shorter}}, none_to[] = {{rig.a, none}};
        const prim_memory_swap_t unknown[] = {{c, rig.a}}, twice[] = {{rig.a, c}, {rig.a, c}};
        expect_refusal(NULL, rig.stream, 0, NULL, "recording is NULL");
        expect_refusal(recording, NULL, 0, NULL, "stream is NULL");
        expect_refusal(recording, rig.stream, -1, unknown, "negative");
        expect_refusal(recording, rig.stream, 1, NULL, "swaps is NULL");
        expect_refusal(recording, rig.stream, 1, null_to, "is NULL");
        expect_refusal(recording, rig.stream, 1, null_from, "is NULL");
        expect_refusal(recording, rig.stream, 1, short_to, "different descriptors");
        expect_refusal(recording, rig.stream, 1, none_to, "no buffer");
        expect_refusal(recording, rig.stream, 1, unknown, "does not use");
        expect_refusal(recording, rig.stream, 2, twice, "replace the same memory");
        if (other_engine) {
            prim_stream_t *const foreign = api_stream(other_engine);
            prim_memory_t *const far = api_memory(&md, other_engine);
            const prim_memory_swap_t far_to[] = {{rig.a, far}};
            expect_refusal(recording, foreign, 0, NULL, "another engine than the recording: ");
            expect_refusal(recording, rig.stream, 1, far_to, "two engines");
            prim_memory_destroy(far);
            prim_stream_destroy(foreign);
        }
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        api_expect(prim_recording_replay(recording, rig.stream, 0, NULL), PRIM_UNIMPLEMENTED);
        prim_recording_destroy(rig_end(rig.stream));
        prim_stream_t *unordered = NULL;
        if (prim_stream_create(&unordered, rig.engine, PRIM_STREAM_OUT_OF_ORDER) == PRIM_SUCCESS)
            api_expect(prim_recording_replay(recording, unordered, 0, NULL), PRIM_UNIMPLEMENTED);
        prim_stream_destroy(unordered);
        rig_fill(rig.a, 4); // and it still works
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == 3);
        prim_recording_destroy(recording);
        prim_memory_destroy(none);
        prim_memory_destroy(shorter);
        prim_memory_destroy(c);
        rig_close(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(refuses_wrong_captures),
            cmocka_unit_test(refuses_wrong_replays),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
