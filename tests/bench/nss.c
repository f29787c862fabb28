/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* nss N ROUNDS: look-ups among N users, through the service "files" and through "sandbox", which
 * here read the same files. In each round one after the other; prints the medians in microseconds
 * and the median and quartiles of the rounds' ratios. Run by the script beside it. */

#include <grp.h>
#include <nss.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS_MAX 1000

static char first_name[32], last_name[32];
static uid_t last_uid;

static void name_first(void)
{
    if (!getpwnam(first_name))
        abort();
}

static void name_last(void)
{
    if (!getpwnam(last_name))
        abort();
}

static void name_unknown(void)
{
    if (getpwnam("no-such-user"))
        abort();
}

static void uid_last(void)
{
    if (!getpwuid(last_uid))
        abort();
}

static void groups_last(void)
{
    gid_t gids[8];
    int n = 8;
    if (getgrouplist(last_name, last_uid, gids, &n) != 3)
        abort();
}

static void enumerate(void)
{
    unsigned n = 0;
    setpwent();
    while (getpwent())
        n++;
    endpwent();
    if (n == 0)
        abort();
}

static const struct {
    const char *name;
    void (*run)(void);
} operations[] = {
    { "getpwnam, the first", name_first },     { "getpwnam, the last", name_last },
    { "getpwnam, unknown", name_unknown },     { "getpwuid, the last", uid_last },
    { "getgrouplist, the last", groups_last }, { "getpwent, all", enumerate },
};

static void use(const char *service)
{
    if (__nss_configure_lookup("passwd", service) < 0 ||
        __nss_configure_lookup("group", service) < 0 ||
        __nss_configure_lookup("initgroups", service) < 0)
        abort();
}

/* Microseconds that one takes. */
static double measure(const char *service, void (*run)(void), unsigned times)
{
    struct timespec begin, end;
    use(service);
    run();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < times; i++)
        run();
    clock_gettime(CLOCK_MONOTONIC, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e6 +
            (double)(end.tv_nsec - begin.tv_nsec) / 1e3) /
           times;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, compare);
}

int main(int argc, char *argv[])
{
    static double files[ROUNDS_MAX], sandbox[ROUNDS_MAX], ratio[ROUNDS_MAX];
    if (argc != 3)
        return 2;
    unsigned n = (unsigned)atoi(argv[1]), rounds = (unsigned)atoi(argv[2]);
    if (n == 0 || rounds == 0 || rounds > ROUNDS_MAX)
        return 2;
    unsigned times = 200000 / (n + 500);
    strcpy(first_name, "user0");
    snprintf(last_name, sizeof last_name, "user%u", n - 1);
    last_uid = 59000 + n - 1;

    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        for (unsigned r = 0; r < rounds; r++) {
            files[r] = measure("files", operations[i].run, times);
            sandbox[r] = measure("sandbox", operations[i].run, times);
            ratio[r] = sandbox[r] / files[r];
        }
        sort(files, rounds);
        sort(sandbox, rounds);
        sort(ratio, rounds);
        printf("%-24s %7u %11.1f %11.1f %8.3f    %6.3f – %6.3f\n", operations[i].name, n,
               files[rounds / 2], sandbox[rounds / 2], ratio[rounds / 2], ratio[rounds / 4],
               ratio[rounds * 3 / 4]);
    }
    return 0;
}
