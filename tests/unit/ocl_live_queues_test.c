// SPDX-License-Identifier: Apache-2.0
// The list of queues that an engine waits for, as streams come and go.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/ocl/memory/ocl_queue_watch.h"
#include "ocl_rig.h"

/// The engine waits for the streams that are alive, newest first, and for no others.
static void live_queues_are_those_of_streams(void **state)
{
    const ocl_rig_t *const rig = *state;
    const ocl_engine_t *const engine = prim__ocl_engine(rig->engine);
    prim_stream_t *streams[3];
    const ocl_watched_queue_t *queues[3], *const before = engine->queues;
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(
                prim_stream_create(&streams[i], rig->engine, PRIM_STREAM_IN_ORDER), PRIM_SUCCESS);
        queues[i] = engine->queues;
        assert_ptr_equal(queues[i]->next_live, i > 0 ? queues[i - 1] : before);
    }
    prim_stream_destroy(streams[1]);
    assert_ptr_equal(engine->queues, queues[2]);
    assert_ptr_equal(queues[2]->next_live, queues[0]);
    prim_stream_destroy(streams[2]);
    assert_ptr_equal(engine->queues, queues[0]);
    prim_stream_destroy(streams[0]);
    assert_ptr_equal(engine->queues, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(live_queues_are_those_of_streams)};
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
