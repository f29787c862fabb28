/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* parse ROOT N [BEFORE]: loads the configuration of N sandboxes below ROOT, writes the snapshot and
 * reads it, and prints one line for the script beside it. BEFORE is what a sandbox took with fewer
 * of them. Times are of the CPU, the medians of some rounds. */

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "conf/config.h"
#include "conf/snapshot.h"

#define ROUNDS 9

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void on_problem(const char *file, unsigned line, const char *message, void *userdata)
{
    (void)userdata;
    fprintf(stderr, "%s:%u: %s\n", file, line, message);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static const char *root, *name;
static struct config *etc;

static struct config *load(void)
{
    const struct config_source source = { .root = root, .check_host = true };
    struct config *config = NULL;

    if (config_load_etc(&source, on_problem, NULL, &config) < 0)
        exit(1);
    return config;
}

static void load_etc(void)
{
    config_free(load());
}

static void write_snapshot(void)
{
    if (snapshot_write(root, etc) < 0)
        exit(1);
}

static void load_snapshot(void)
{
    struct config *config = NULL;

    if (config_load_snapshot(root, on_problem, NULL, &config) < 0)
        exit(1);
    config_free(config);
}

/* What the PAM module reads when a session begins. */
static void load_session(void)
{
    char digest[SNAPSHOT_DIGEST_SIZE];
    struct config *config = NULL;

    if (snapshot_ready(root, digest) < 0 ||
        config_load_snapshot_of(root, name, on_problem, NULL, &config) < 0)
        exit(1);
    config_free(config);
}

/* In use, and in mappings of their own. */
static size_t allocated(void)
{
    const struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static double measure(void (*function)(void))
{
    double times[ROUNDS];

    for (int i = 0; i < ROUNDS; i++) {
        const double begin = now();

        function();
        times[i] = now() - begin;
    }
    qsort(times, ROUNDS, sizeof *times, compare);
    return times[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    char digest[SNAPSHOT_DIGEST_SIZE], ratio[16] = "";
    double n, load_ms, write_ms, in_force_ms, session_ms;
    size_t before;

    if (argc < 3)
        return 2;
    root = argv[1];
    n = atof(argv[2]);

    before = allocated();
    etc = load();
    const double kib = (double)(allocated() - before) / 1024 / n;
    name = etc->sandboxes[etc->n_sandboxes / 2].name;

    load_ms = measure(load_etc);
    write_ms = measure(write_snapshot);
    if (snapshot_digest(root, digest) < 0 || snapshot_set_ready(root, digest) < 0)
        return 1;
    in_force_ms = measure(load_snapshot);
    session_ms = measure(load_session);
    config_free(etc);

    if (argc > 3 && *argv[3])
        (void)snprintf(ratio, sizeof ratio, "%.2f", load_ms * 1000 / n / atof(argv[3]));
    printf("%9.0f %9.2f %12.1f %7s %10.1f %10.2f %12.2f %11.0f\n", n, load_ms, load_ms * 1000 / n,
           ratio[0] ? ratio : "-", kib, write_ms, in_force_ms, session_ms * 1000);
    return 0;
}
