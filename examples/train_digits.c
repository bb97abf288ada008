// SPDX-License-Identifier: Apache-2.0
// Trains a residual convolutional network on handwritten digits, from primitives alone:
//
//     train_digits [cpu|gpu[:index]] [--type=f32|f16|bf16] [--epochs=N] [--steps=N] [--batch=N]
//                  [--rate=X] [--seed=N] [--data=FILE] [--log=FILE] [--export=FOLDER]
//                  [--expect=PERCENT] [--norm=batch|layer|group] [--repeat=N]
//
// Tensors have the given type, weights that SGD updates are f32. --steps ends each epoch, and the
// test, early. --log writes the loss of each step as CSV, --export what
// scripts/train_digits_torch.py needs to train the same network on the same digits: first weights
// and order. --expect makes a worse test accuracy an error. --repeat=N has each digit N times in an
// epoch, for larger batches. doc/training.md shows results.
// train_digits_mpi is the same with several processes, each on an engine of its own with --batch
// digits of every step:
//
//     mpirun -n 4 train_digits_mpi cpu --batch=16 --norm=layer
//
// They add up their gradients while the backward pass still runs.
#include <string.h>
#include <time.h>

#include "train/batches.h"
#include "train/digits.h"
#include "train/options.h"
#include "train/team.h"
#include "train/train_net.h"

typedef struct {
    options_t options;
    const digits_t *digits;
    train_net_t *net;
    batches_t epoch, test;
    FILE *log, *order;
    int nsteps_done, ntested;
    prim_recording_t *step; ///< one step of a process that trains alone, or NULL
    float *gradient;        ///< the host's, with room for all parameters: what a team adds up
    size_t nunsent;         ///< elements of it that do not wait for their sums yet
} job_t;

/// Sums of fewer elements cost more than they hide.
enum { LEAST_SENT_ELEMS = 4096 };

/// Groups of channels, of which there are at least 16.
enum { NGROUPS = 4 };

/// A convolution that is normalised. `fused` is what batch normalisation takes.
static train_tensor_t add_convolution(train_net_t *net, const options_t *o, train_tensor_t src,
        prim_dim_t channels, prim_dim_t kernel, prim_dim_t stride, unsigned fused)
{
    const train_tensor_t none = {NULL, NULL};
    const train_tensor_t x = train_convolution(net, src, channels, kernel, stride);
    if (o->norm != NORM_BATCH)
        return train_layer_norm(
                net, x, o->norm == NORM_GROUP ? NGROUPS : 0, fused != PRIM_NORM_FLAGS_NONE, none);
    return train_norm(net, x, fused, none);
}

/// One block of a residual network (He et al. 2016): two convolutions with normalisation, and
/// around them the input itself or, where the size changes, a convolution of 1×1.
static train_tensor_t add_block(train_net_t *net, const options_t *o, train_tensor_t src,
        prim_dim_t channels, prim_dim_t stride)
{
    train_tensor_t uses[2];
    train_fork(net, src, uses);
    train_tensor_t x = add_convolution(net, o, uses[0], channels, 3, stride, PRIM_FUSE_NORM_RELU);
    x = train_convolution(net, x, channels, 3, 1);
    train_tensor_t around = uses[1];
    if (stride != 1)
        around = add_convolution(net, o, around, channels, 1, stride, PRIM_NORM_FLAGS_NONE);
    if (o->norm != NORM_BATCH)
        return train_layer_norm(net, x, o->norm == NORM_GROUP ? NGROUPS : 0, true, around);
    return train_norm(net, x, PRIM_FUSE_NORM_ADD_RELU, around);
}

static train_net_t *build(prim_engine_t *engine, const options_t *options)
{
    train_net_t *const net = train_net_create(engine, options->type, options->batch);
    train_tensor_t x = train_input(net, 1, DIGIT_SIDE);
    x = add_convolution(net, options, x, 16, 3, 1, PRIM_FUSE_NORM_RELU);
    x = add_block(net, options, x, 16, 1);
    x = add_block(net, options, x, 32, 2);
    x = train_global_pool(net, x);
    train_loss(net, train_fully_connected(net, x, DIGIT_CLASSES));
    const train_sgd_t sgd = {options->rate, options->momentum, options->loss_scale};
    train_net_finish(net, &sgd, options->seed);
    return net;
}

/// Digits of a step, those of the whole team.
static int team_batch(const job_t *job)
{
    return job->options.batch * team_size();
}

/// The gradient of the mean loss by the logarithm of a digit's probability.
static float target_of(const job_t *job)
{
    return -job->options.loss_scale / (float)team_batch(job);
}

static double now_s(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// The process's part of the mean loss of step `i`: −log_probs where the digit is.
static float batch_loss(const job_t *job, const batches_t *b, int i)
{
    const int n = job->options.batch * DIGIT_CLASSES;
    double sum = 0;
    for (int k = i * n; k < (i + 1) * n; ++k)
        if (b->targets[k] != 0) sum -= b->log_probs[k];
    return (float)(sum / team_batch(job));
}

/// Reads the losses of an epoch; returns their mean.
static double log_losses(job_t *job)
{
    batches_t *const b = &job->epoch;
    double sum = 0;
    batches_read(b);
    for (int i = 0; i < b->nbatches; ++i) {
        float loss = batch_loss(job, b, i);
        team_sum_begin(&loss, 1);
        team_sum_end();
        if (job->log) fprintf(job->log, "%d,%.9g\n", job->nsteps_done + i, (double)loss);
        sum += (double)loss;
    }
    job->nsteps_done += b->nbatches;
    return sum / b->nbatches;
}

/// During the backward pass: gradients from element `first` on are complete. Those of the last
/// layers are added up over the team while those of the first ones are still computed.
static void send_gradients(void *user, size_t first)
{
    job_t *const job = user;
    const size_t n = job->nunsent - first;
    team_sum_progress();
    if (n == 0 || (n < LEAST_SENT_ELEMS && first > 0)) return;
    float *const values = job->gradient + first;
    DO(prim_memory_read(job->net->gradient, values, n * sizeof *values, first * sizeof *values));
    team_sum_begin(values, n);
    job->nunsent = first;
}

/// A step of a process that trains alone is always the same executions: captured once, they are
/// checked no more, and each replay uses the batch that the memories point at then.
static void record_step(job_t *job)
{
    train_net_t *const net = job->net;
    if (team_size() > 1) return;
    batches_point_at(&job->epoch, net, 0);
    DO(prim_recording_begin(net->stream));
    train_forward(net);
    train_backward(net, NULL, NULL);
    train_update(net);
    DO(prim_recording_end(&job->step, net->stream));
}

static void train_step(job_t *job)
{
    train_net_t *const net = job->net;
    if (job->step) {
        DO(prim_recording_replay(job->step, net->stream, 0, NULL));
        return;
    }
    job->nunsent = net->nparam_elems;
    train_forward(net);
    train_backward(net, send_gradients, job);
    team_sum_end();
    DO(prim_memory_write(
            net->gradient, job->gradient, net->nparam_elems * sizeof *job->gradient, 0));
    train_update(net);
}

/// The digits of an epoch in a new order, for free().
static int *draw_order(job_t *job, unsigned *seed)
{
    const int ndigits = job->options.repeat * DIGITS_TRAIN;
    const int nsamples = job->epoch.nbatches * team_batch(job);
    int *const order = malloc((size_t)ndigits * sizeof *order);
    if (!order) exit(1);
    digits_shuffle(order, ndigits, seed);
    for (int i = 0; i < ndigits; ++i) order[i] %= DIGITS_TRAIN;
    if (job->order) (void)fwrite(order, sizeof *order, (size_t)nsamples, job->order);
    return order;
}

/// The team's digits of an epoch in their order; the process's are a part of each batch.
static void load_epoch(job_t *job, unsigned *seed)
{
    const int batch = job->options.batch;
    int *const order = draw_order(job, seed);
    for (int i = 0; i < job->epoch.nbatches * batch; ++i) {
        const int step = i / batch, first = step * team_batch(job) + team_rank() * batch;
        batches_put(&job->epoch, i, job->digits, order[first + i % batch], target_of(job));
    }
    batches_upload(&job->epoch);
    free(order);
}

/// One pass over the training digits in a new order; returns the mean loss and the time.
static double train_epoch(job_t *job, unsigned *seed, double *seconds)
{
    load_epoch(job, seed);

    const double start_s = now_s();
    for (int i = 0; i < job->epoch.nbatches; ++i) {
        batches_point_at(&job->epoch, job->net, i);
        train_step(job);
    }
    DO(prim_stream_wait(job->net->stream));
    *seconds = now_s() - start_s;
    return log_losses(job);
}

static bool is_right(const float *log_probs, int label)
{
    for (int i = 0; i < DIGIT_CLASSES; ++i)
        if (log_probs[i] > log_probs[label]) return false;
    return true;
}

/// The share of test digits that the network reads, in percent.
static double test_percent(job_t *job)
{
    batches_t *const b = &job->test;
    for (int i = 0; i < b->nbatches; ++i) {
        batches_point_at(b, job->net, i);
        train_infer(job->net);
    }
    DO(prim_stream_wait(job->net->stream));
    batches_read(b);
    int nright = 0;
    for (int i = 0; i < job->ntested; ++i)
        nright += is_right(b->log_probs + i * DIGIT_CLASSES, job->digits->labels[DIGITS_TRAIN + i]);
    return 100.0 * nright / job->ntested;
}

static FILE *create_file(const char *folder, const char *name)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    FILE *const file = fopen(path, "wb");
    if (!file) fprintf(stderr, "%s: cannot be written\n", path);
    if (!file) exit(1);
    return file;
}

/// The first weights, one parameter after the other.
static void export_weights(const job_t *job)
{
    const train_net_t *const net = job->net;
    FILE *const file = create_file(job->options.export_folder, "weights.f32");
    for (int i = 0; i < net->nparams; ++i) {
        const size_t bytes = prim_memory_desc_get_size(&net->params[i].md);
        float *const values = train_floats(bytes / sizeof *values);
        DO(prim_memory_read(net->params[i].master, values, bytes, 0));
        (void)fwrite(values, 1, bytes, file);
        free(values);
    }
    (void)fclose(file);
}

static void open_files(job_t *job)
{
    const options_t *const o = &job->options;
    if (team_rank() != 0) return;
    if (o->log) job->log = create_file("", o->log);
    if (job->log) fprintf(job->log, "step,loss\n");
    if (!o->export_folder) return;
    job->order = create_file(o->export_folder, "order.s32");
    export_weights(job);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void prepare(job_t *job)
{
    const options_t *const o = &job->options;
    job->epoch =
            batches_make(job->net, least(o->steps, o->repeat * DIGITS_TRAIN / team_batch(job)));
    job->test = batches_make(job->net, least(o->steps, (DIGITS_TEST + o->batch - 1) / o->batch));
    job->ntested = least(DIGITS_TEST, job->test.nbatches * o->batch);
    for (int i = 0; i < job->ntested; ++i)
        batches_put(&job->test, i, job->digits, DIGITS_TRAIN + i, target_of(job));
    batches_upload(&job->test);
    job->gradient = train_floats(job->net->nparam_elems);
    open_files(job);
    record_step(job);
}

/// Whether the network learns what is expected. The first process tests and reports.
static bool run(job_t *job)
{
    const options_t *const o = &job->options;
    unsigned seed = o->seed + 1;
    double percent = 100;
    for (int e = 1; e <= o->epochs; ++e) {
        double seconds = 0;
        const double loss = train_epoch(job, &seed, &seconds);
        if (team_rank() != 0) continue;
        percent = test_percent(job);
        printf("epoch %d: loss %.4f, test accuracy %.1f %%, %.1f steps/s\n", e, loss, percent,
                job->epoch.nbatches / seconds);
    }
    return percent >= (double)o->expected_percent;
}

static void finish(job_t *job)
{
    if (job->log) (void)fclose(job->log);
    if (job->order) (void)fclose(job->order);
    batches_free(&job->epoch);
    batches_free(&job->test);
    free(job->gradient);
    prim_recording_destroy(job->step);
    train_net_destroy(job->net);
}

/// The one named first on the command line. A process of a team takes its own GPU where no index is
/// named, as far as there are enough.
static prim_engine_t *open_engine(int argc, char **argv)
{
    const bool is_named = argc > 1 && argv[1][0] != '-';
    const size_t ngpus = prim_engine_get_count(PRIM_GPU);
    if (is_named && strcmp(argv[1], "gpu") != 0) return example_engine(argc, argv);
    if (ngpus == 0) return example_engine(1, argv);
    prim_engine_t *engine = NULL;
    DO(prim_engine_create(&engine, PRIM_GPU, (size_t)team_local_rank() % ngpus));
    return engine;
}

static bool train(const options_t *o, const digits_t *digits, prim_engine_t *engine)
{
    job_t job = {.options = *o, .digits = digits, .net = build(engine, o)};
    prepare(&job);
    if (team_rank() == 0)
        printf("%s, %s: %zu parameters, %d primitives, %d processes, batches of %d\n",
                prim_engine_name(engine), prim_data_type_name(o->type), job.net->nparam_elems,
                job.net->nprimitives, team_size(), team_batch(&job));
    const bool has_learned = run(&job);
    finish(&job);
    return has_learned;
}

int main(int argc, char **argv)
{
    options_t options;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    team_open(&argc, &argv);
    if (!options_read(&options, argc, argv)) return 2;
    digits_t *const digits = digits_read(options.data);
    if (!digits) return 1;
    prim_engine_t *const engine = open_engine(argc, argv);
    const bool has_learned = train(&options, digits, engine);
    prim_engine_destroy(engine);
    free(digits);
    team_close();
    return !has_learned;
}
