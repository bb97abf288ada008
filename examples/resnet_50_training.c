// SPDX-License-Identifier: Apache-2.0
// Steps per second of training ResNet-50 (the network of resnet_50.c) with SGD on images of noise:
//
//     resnet_50_training [cpu|gpu[:index]] [--type=f32|f16|bf16] [--batch=N] [--steps=N]
//
// A step is the forward pass, the loss, the backward pass and the update of f32 weights with
// momentum, as train_digits.c does it, whose losses are compared with those of another library;
// this program tells the time, and fails where the loss of repeating one batch does not fall.
#include <math.h>
#include <string.h>
#include <time.h>

#include "train/digits.h"
#include "train/train_net.h"

enum { SIDE = 224, NCLASSES = 1000 };
static const float LOSS_SCALE = 128;

typedef struct {
    prim_data_type_t type;
    int batch, nsteps;
} options_t;

static train_tensor_t add_convolution(train_net_t *net, train_tensor_t src, prim_dim_t channels,
        prim_dim_t kernel, prim_dim_t stride, unsigned fused)
{
    const train_tensor_t none = {NULL, NULL};
    const train_tensor_t x = train_convolution(net, src, channels, kernel, stride);
    return train_norm(net, x, fused, none);
}

static train_tensor_t add_bottleneck(
        train_net_t *net, train_tensor_t src, prim_dim_t channels, prim_dim_t stride)
{
    const prim_dim_t out = 4 * channels;
    const bool changes = prim_memory_get_desc(src.value)->dims[1] != out;
    train_tensor_t uses[2];
    train_fork(net, src, uses);
    train_tensor_t x = add_convolution(net, uses[0], channels, 1, 1, PRIM_FUSE_NORM_RELU);
    x = add_convolution(net, x, channels, 3, stride, PRIM_FUSE_NORM_RELU);
    x = train_convolution(net, x, out, 1, 1);
    const train_tensor_t around =
            changes ? add_convolution(net, uses[1], out, 1, stride, PRIM_NORM_FLAGS_NONE) : uses[1];
    return train_norm(net, x, PRIM_FUSE_NORM_ADD_RELU, around);
}

static train_net_t *build(prim_engine_t *engine, const options_t *o)
{
    static const struct {
        prim_dim_t channels, nblocks;
    } stages[] = {{64, 3}, {128, 4}, {256, 6}, {512, 3}};
    train_net_t *const net = train_net_create(engine, o->type, o->batch);
    train_tensor_t x = train_input(net, 3, SIDE);
    x = add_convolution(net, x, 64, 7, 2, PRIM_FUSE_NORM_RELU);
    x = train_max_pool(net, x);
    for (int s = 0; s < 4; ++s)
        for (int b = 0; b < stages[s].nblocks; ++b)
            x = add_bottleneck(net, x, stages[s].channels, b == 0 && s > 0 ? 2 : 1);
    x = train_global_pool(net, x);
    train_loss(net, train_fully_connected(net, x, NCLASSES));
    const train_sgd_t sgd = {.rate = 0.01f, .momentum = 0.9f, .loss_scale = LOSS_SCALE};
    train_net_finish(net, &sgd, 1);
    return net;
}

static size_t nelems(const prim_memory_t *memory)
{
    return prim_memory_desc_get_size(prim_memory_get_desc(memory)) / sizeof(float);
}

/// Image i is of class i mod NCLASSES.
static prim_memory_t *new_values(train_net_t *net, prim_memory_t *like, bool is_target)
{
    const size_t n = nelems(like);
    float *const values = train_floats(n);
    unsigned seed = 7;
    if (is_target)
        for (int i = 0; i < net->batch; ++i)
            values[(size_t)i * NCLASSES + (size_t)i % NCLASSES] = -LOSS_SCALE / (float)net->batch;
    else
        for (size_t i = 0; i < n; ++i) values[i] = 2 * digits_draw(&seed) - 1;
    prim_memory_t *const memory =
            train_memory(net, prim_memory_get_desc(like), PRIM_MEMORY_ALLOCATE);
    DO(prim_memory_write(memory, values, n * sizeof *values, 0));
    free(values);
    return memory;
}

static void share_buffer(prim_memory_t *memory, const prim_memory_t *owner)
{
    void *handle = NULL;
    DO(prim_memory_get_data_handle(owner, &handle));
    DO(prim_memory_set_data_handle_at(memory, handle, 0));
}

/// The batch, its classes, and room for the results.
static void bind_batch(train_net_t *net)
{
    share_buffer(net->input, new_values(net, net->input, false));
    share_buffer(net->target, new_values(net, net->target, true));
    share_buffer(net->log_probs, new_values(net, net->log_probs, false));
}

static void submit_step(train_net_t *net)
{
    train_forward(net);
    train_backward(net, NULL, NULL);
    train_update(net);
}

/// The step as one recording; NULL where the stream cannot be recorded.
static prim_recording_t *record_step(train_net_t *net)
{
    prim_recording_t *recording = NULL;
    if (prim_recording_begin(net->stream) != PRIM_SUCCESS) return NULL;
    submit_step(net);
    DO(prim_recording_end(&recording, net->stream));
    return recording;
}

static double mean_loss(const train_net_t *net)
{
    const size_t n = nelems(net->log_probs);
    float *const values = train_floats(n);
    double sum = 0;
    DO(prim_stream_wait(net->stream));
    DO(prim_memory_read(net->log_probs, values, n * sizeof *values, 0));
    for (int i = 0; i < net->batch; ++i)
        sum -= (double)values[(size_t)i * NCLASSES + (size_t)i % NCLASSES];
    free(values);
    return sum / (double)net->batch;
}

static double now_s(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Repeats one batch; returns the exit code.
static int train(train_net_t *net, const options_t *o)
{
    bind_batch(net);
    submit_step(net);
    const double first = mean_loss(net);
    prim_recording_t *const step = record_step(net);
    double best = INFINITY;
    for (int i = 1; i < o->nsteps; ++i) {
        const double begin = now_s();
        if (step)
            DO(prim_recording_replay(step, net->stream, 0, NULL));
        else
            submit_step(net);
        DO(prim_stream_wait(net->stream));
        best = fmin(best, now_s() - begin);
    }
    const double last = mean_loss(net);
    printf("ResNet-50, %s, batch %d, on %s: %.2f ms a step, %.1f images/s; loss %.4f, after %d "
           "steps %.4f\n",
            prim_data_type_name(o->type), o->batch, prim_engine_name(net->engine), 1e3 * best,
            (double)o->batch / best, first, o->nsteps, last);
    prim_recording_destroy(step);
    return last < first ? 0 : 1; // not of NaN either
}

static bool read_argument(options_t *o, const char *word)
{
    int *const number = strncmp(word, "--batch=", 8) == 0   ? &o->batch
                        : strncmp(word, "--steps=", 8) == 0 ? &o->nsteps
                                                            : NULL;
    if (number) return (*number = atoi(word + 8)) > 1;
    return strncmp(word, "--type=", 7) == 0 && example_type(&o->type, word + 7);
}

int main(int argc, char **argv)
{
    options_t o = {PRIM_F32, 2, 3};
    for (int i = 1; i < argc; ++i) {
        if ((i == 1 && argv[1][0] != '-') || read_argument(&o, argv[i])) continue;
        fprintf(stderr,
                "usage: %s [cpu|gpu[:index]] [--type=f32|f16|bf16] [--batch=N] [--steps=N]\n",
                argv[0]);
        return 2;
    }
    prim_engine_t *const engine = example_engine(argc, argv);
    train_net_t *const net = build(engine, &o);
    const int status = train(net, &o);
    train_net_destroy(net);
    prim_engine_destroy(engine);
    return status;
}
