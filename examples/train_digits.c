// SPDX-License-Identifier: Apache-2.0
// Trains a residual convolutional network on handwritten digits, from primitives alone:
//
//     train_digits [cpu|gpu[:index]] [--type=f32|f16|bf16] [--epochs=N] [--steps=N] [--batch=N]
//                  [--rate=X] [--seed=N] [--data=FILE] [--log=FILE] [--export=FOLDER]
//                  [--expect=PERCENT]
//
// Tensors have the given type, weights that SGD updates are f32. --steps ends each epoch, and the
// test, early.
// --log writes the loss of each step as CSV, --export what scripts/train_digits_torch.py needs to
// train the same network on the same digits: first weights and order. --expect makes a worse test
// accuracy an error. doc/training.md shows results.
#include <string.h>
#include <time.h>

#include "train/digits.h"
#include "train/train_net.h"

typedef struct {
    prim_data_type_t type;
    int epochs, steps, batch;
    float rate, momentum, loss_scale, expected_percent;
    unsigned seed;
    const char *data, *log, *export_folder;
} options_t;

/// Several batches on the device; each step looks at one.
typedef struct {
    int nbatches;
    float *images, *targets, *log_probs;                     ///< the host's
    prim_memory_t *images_all, *targets_all, *log_probs_all; ///< the device's
    void *images_handle, *targets_handle, *log_probs_handle;
} batches_t;

typedef struct {
    options_t options;
    const digits_t *digits;
    train_net_t *net;
    batches_t epoch, test;
    FILE *log, *order;
    int nsteps_done, ntested;
} job_t;

// One block of a residual network (He et al. 2016): two convolutions with batch normalisation, and
// around them the input itself or, where the size changes, a convolution of 1×1.
static train_tensor_t add_block(
        train_net_t *net, train_tensor_t src, prim_dim_t channels, prim_dim_t stride)
{
    const train_tensor_t none = {NULL, NULL};
    train_tensor_t uses[2];
    train_fork(net, src, uses);
    train_tensor_t x = train_convolution(net, uses[0], channels, 3, stride);
    x = train_norm(net, x, PRIM_FUSE_NORM_RELU, none);
    x = train_convolution(net, x, channels, 3, 1);
    train_tensor_t around = uses[1];
    if (stride != 1) {
        around = train_convolution(net, around, channels, 1, stride);
        around = train_norm(net, around, PRIM_NORM_FLAGS_NONE, none);
    }
    return train_norm(net, x, PRIM_FUSE_NORM_ADD_RELU, around);
}

static train_net_t *build(prim_engine_t *engine, const options_t *options)
{
    train_net_t *const net = train_net_create(engine, options->type, options->batch);
    const train_tensor_t none = {NULL, NULL};
    train_tensor_t x = train_input(net, DIGIT_SIDE);
    x = train_convolution(net, x, 16, 3, 1);
    x = train_norm(net, x, PRIM_FUSE_NORM_RELU, none);
    x = add_block(net, x, 16, 1);
    x = add_block(net, x, 32, 2);
    x = train_global_pool(net, x);
    train_loss(net, train_fully_connected(net, x, DIGIT_CLASSES));
    const train_sgd_t sgd = {options->rate, options->momentum, options->loss_scale};
    train_net_finish(net, &sgd, options->seed);
    return net;
}

static void *new_floats(size_t n)
{
    float *const values = calloc(n, sizeof *values);
    if (!values) exit(1);
    return values;
}

/// A vector on the device, and the handle by which other memories point into it.
static prim_memory_t *new_vector(train_net_t *net, prim_dim_t nelems, void **handle)
{
    prim_memory_desc_t md;
    DO(prim_memory_desc_init_by_tag(&md, 1, &nelems, PRIM_F32, PRIM_a));
    prim_memory_t *const memory = train_memory(net, &md, PRIM_MEMORY_ALLOCATE);
    DO(prim_memory_get_data_handle(memory, handle));
    return memory;
}

static batches_t make_batches(train_net_t *net, int nbatches)
{
    const int n = nbatches * (int)net->batch;
    batches_t b = {.nbatches = nbatches};
    b.images = new_floats((size_t)n * DIGIT_PIXELS);
    b.targets = new_floats((size_t)n * DIGIT_CLASSES);
    b.log_probs = new_floats((size_t)n * DIGIT_CLASSES);
    b.images_all = new_vector(net, (prim_dim_t)n * DIGIT_PIXELS, &b.images_handle);
    b.targets_all = new_vector(net, (prim_dim_t)n * DIGIT_CLASSES, &b.targets_handle);
    b.log_probs_all = new_vector(net, (prim_dim_t)n * DIGIT_CLASSES, &b.log_probs_handle);
    return b;
}

static void free_batches(batches_t *b)
{
    free(b->images);
    free(b->targets);
    free(b->log_probs);
}

static size_t bytes_of(const prim_memory_t *memory)
{
    return prim_memory_desc_get_size(prim_memory_get_desc(memory));
}

/// Digit `digit` becomes sample `i`; its target is the gradient of the mean loss by log_probs.
static void put_sample(const job_t *job, batches_t *b, int i, int digit)
{
    float *const target = b->targets + (size_t)i * DIGIT_CLASSES;
    memcpy(b->images + (size_t)i * DIGIT_PIXELS, job->digits->pixels[digit],
            sizeof job->digits->pixels[digit]);
    memset(target, 0, DIGIT_CLASSES * sizeof *target);
    target[job->digits->labels[digit]] = -job->options.loss_scale / (float)job->options.batch;
}

static void upload(batches_t *b)
{
    DO(prim_memory_write(b->images_all, b->images, bytes_of(b->images_all), 0));
    DO(prim_memory_write(b->targets_all, b->targets, bytes_of(b->targets_all), 0));
}

/// The network's inputs and output are those of batch `i` from now on.
static void point_at(train_net_t *net, const batches_t *b, int i)
{
    const size_t batch = (size_t)net->batch * (size_t)i;
    const size_t images = batch * DIGIT_PIXELS, classes = batch * DIGIT_CLASSES;
    DO(prim_memory_set_data_handle_at(net->input, b->images_handle, images * sizeof(float)));
    DO(prim_memory_set_data_handle_at(net->target, b->targets_handle, classes * sizeof(float)));
    DO(prim_memory_set_data_handle_at(
            net->log_probs, b->log_probs_handle, classes * sizeof(float)));
}

static double now_s(void)
{
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// The mean over batch `i` of −log_probs where the digit is.
static double batch_loss(const job_t *job, const batches_t *b, int i)
{
    const int n = job->options.batch * DIGIT_CLASSES;
    double sum = 0;
    for (int k = i * n; k < (i + 1) * n; ++k)
        if (b->targets[k] != 0) sum -= b->log_probs[k];
    return sum / job->options.batch;
}

/// Reads the losses of an epoch; returns their mean.
static double log_losses(job_t *job)
{
    batches_t *const b = &job->epoch;
    double sum = 0;
    DO(prim_memory_read(b->log_probs_all, b->log_probs, bytes_of(b->log_probs_all), 0));
    for (int i = 0; i < b->nbatches; ++i) {
        const double loss = batch_loss(job, b, i);
        if (job->log) fprintf(job->log, "%d,%.9g\n", job->nsteps_done + i, loss);
        sum += loss;
    }
    job->nsteps_done += b->nbatches;
    return sum / b->nbatches;
}

/// One pass over the training digits in a new order; returns the mean loss and the time.
static double train_epoch(job_t *job, unsigned *seed, double *seconds)
{
    int order[DIGITS_TRAIN];
    const int nsamples = job->epoch.nbatches * job->options.batch;
    digits_shuffle(order, DIGITS_TRAIN, seed);
    if (job->order) (void)fwrite(order, sizeof *order, (size_t)nsamples, job->order);
    for (int i = 0; i < nsamples; ++i) put_sample(job, &job->epoch, i, order[i]);
    upload(&job->epoch);

    const double start_s = now_s();
    for (int i = 0; i < job->epoch.nbatches; ++i) {
        point_at(job->net, &job->epoch, i);
        train_forward_backward(job->net);
        train_update(job->net);
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
        point_at(job->net, b, i);
        train_infer(job->net);
    }
    DO(prim_stream_wait(job->net->stream));
    DO(prim_memory_read(b->log_probs_all, b->log_probs, bytes_of(b->log_probs_all), 0));
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
        const size_t bytes = bytes_of(net->params[i].master);
        float *const values = new_floats(bytes / sizeof *values);
        DO(prim_memory_read(net->params[i].master, values, bytes, 0));
        (void)fwrite(values, 1, bytes, file);
        free(values);
    }
    (void)fclose(file);
}

static void open_files(job_t *job)
{
    const options_t *const o = &job->options;
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

static int run(job_t *job)
{
    const options_t *const o = &job->options;
    unsigned seed = o->seed + 1;
    double percent = 0;
    job->epoch = make_batches(job->net, least(o->steps, DIGITS_TRAIN / o->batch));
    job->test = make_batches(job->net, least(o->steps, (DIGITS_TEST + o->batch - 1) / o->batch));
    job->ntested = least(DIGITS_TEST, job->test.nbatches * o->batch);
    for (int i = 0; i < job->ntested; ++i) put_sample(job, &job->test, i, DIGITS_TRAIN + i);
    upload(&job->test);
    open_files(job);
    for (int e = 1; e <= o->epochs; ++e) {
        double seconds = 0;
        const double loss = train_epoch(job, &seed, &seconds);
        percent = test_percent(job);
        printf("epoch %d: loss %.4f, test accuracy %.1f %%, %.1f steps/s\n", e, loss, percent,
                job->epoch.nbatches / seconds);
    }
    if (job->log) (void)fclose(job->log);
    if (job->order) (void)fclose(job->order);
    free_batches(&job->epoch);
    free_batches(&job->test);
    return percent < (double)o->expected_percent;
}

/// What follows `name` if the argument begins with it.
static const char *value_of(const char *argument, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(argument, name, n) == 0 ? argument + n : NULL;
}

static bool read_type(options_t *o, const char *name)
{
    static const prim_data_type_t types[] = {PRIM_F32, PRIM_F16, PRIM_BF16};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(name, prim_data_type_name(types[i])) != 0) continue;
        o->type = types[i];
        // The smallest gradients of f16 are 6e-8; those of the other types reach far below.
        o->loss_scale = types[i] == PRIM_F16 ? 1024 : 1;
        return true;
    }
    return false;
}

static bool read_option(options_t *o, const char *argument)
{
    const char *v = NULL;
    if ((v = value_of(argument, "--type="))) return read_type(o, v);
    if ((v = value_of(argument, "--epochs="))) return (o->epochs = atoi(v)) > 0;
    if ((v = value_of(argument, "--steps="))) return (o->steps = atoi(v)) > 0;
    if ((v = value_of(argument, "--batch=")))
        return (o->batch = atoi(v)) > 0 && o->batch <= DIGITS_TRAIN;
    if ((v = value_of(argument, "--rate="))) return (o->rate = strtof(v, NULL)) > 0;
    if ((v = value_of(argument, "--seed=")))
        o->seed = (unsigned)strtoul(v, NULL, 10);
    else if ((v = value_of(argument, "--expect=")))
        o->expected_percent = strtof(v, NULL);
    else if ((v = value_of(argument, "--data=")))
        o->data = v;
    else if ((v = value_of(argument, "--log=")))
        o->log = v;
    else if ((v = value_of(argument, "--export=")))
        o->export_folder = v;
    return v || argument[0] != '-';
}

int main(int argc, char **argv)
{
    job_t job = {.options = {.type = PRIM_F32,
                         .epochs = 10,
                         .steps = DIGITS_TRAIN,
                         .batch = 64,
                         .rate = 0.05f,
                         .momentum = 0.9f,
                         .loss_scale = 1,
                         .seed = 1,
                         .data = TRAIN_DIGITS_DATA}};
    for (int i = 1; i < argc; ++i) {
        if (read_option(&job.options, argv[i])) continue;
        fprintf(stderr, "%s: unknown, or not a value that it takes\n", argv[i]);
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    digits_t *const digits = digits_read(job.options.data);
    if (!digits) return 1;
    job.digits = digits;
    const bool names_engine = argc > 1 && argv[1][0] != '-';
    prim_engine_t *const engine = example_engine(names_engine ? 2 : 1, argv);
    job.net = build(engine, &job.options);
    printf("%s, %s: %zu parameters, %d primitives, batches of %d\n", prim_engine_name(engine),
            prim_data_type_name(job.options.type), job.net->nparam_elems, job.net->nprimitives,
            job.options.batch);
    const int code = run(&job);
    train_net_destroy(job.net);
    prim_engine_destroy(engine);
    free(digits);
    return code;
}
