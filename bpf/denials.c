/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pam-sandbox-denials: from the kernel's ring buffer to the journal. It decides nothing, and the
 * policy holds without it: what it does not fetch while it is down waits in the ring buffer, and
 * what finds no room there is counted.
 *
 * It has no capability. The pins are files of root's, which is who it is, and to use a map that one
 * has a descriptor of needs none since Linux 5.19, whatever kernel.unprivileged_bpf_disabled says.
 */

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <time.h>

#include "bpf/denial-entry.h"
#include "bpf/denials-mounts.h"
#include "bpf/denials-names.h"
#include "bpf/denials-rates.h"
#include "conf/cleanup.h"
#include "conf/paths.h"
#include "conf/program.h"

#define DENIALS_PIN PINS_DIR "/denials"
#define RATES_PIN PINS_DIR "/denial_rates"

struct denials {
    struct denials_names names;
    struct denials_rates rates;
    struct ring_buffer *ring;
    int rates_map;
    sd_event_source *readable;
    sd_event_source *timer;
    bool saw_foreign; /* a record that this version does not know, said once */
};

static __u64 now_nsec(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
}

static void send_entry(const struct denial_entry *entry)
{
    int r = sd_journal_sendv(entry->fields, (int)entry->n_fields);
    if (r < 0)
        fprintf(stderr, SD_WARNING "a denial is lost, the journal does not take it: %s\n",
                strerror(-r));
}

static const char *name_of(struct denials *denials, __u32 sandbox)
{
    return sandbox == 0 ? NULL : denials_names_find(&denials->names, sandbox);
}

/* The host's mounts, as this process has some of its own. Looked up anew each time: the list is
 * short, and records are few. */
static int make_entry(struct denials *denials, const struct denial *denial,
                      struct denial_entry *ret)
{
    const __u64 ago = now_nsec(CLOCK_BOOTTIME) - denial->nsec;
    struct denial_context context = {
        .sandbox = name_of(denials, denial->sandbox),
        .realtime_usec = (now_nsec(CLOCK_REALTIME) - ago) / 1000,
    };
    char path[DENIAL_PATH_SIZE];

    if (denial->object_kind == OBJECT_IN_DEVICE) {
        _cleanup_fclose_ FILE *mountinfo = fopen("/proc/1/mountinfo", "re");
        if (mountinfo && denials_mounts_find(mountinfo, denial, path) >= 0)
            context.path = path;
    }
    return denial_entry_make(denial, &context, ret);
}

static int on_record(void *userdata, void *data, size_t size)
{
    struct denials *denials = userdata;
    struct denial_entry entry;
    struct denial denial;

    int r = denial_parse(data, size, &denial);
    if (r < 0) {
        if (!denials->saw_foreign)
            fprintf(stderr,
                    SD_ERR "a record of %zu bytes is none that this version knows, and others like "
                           "it are not logged either: \"systemctl reload pam-sandbox-lsm.service\" "
                           "brings the policy to the version of this program\n",
                    size);
        denials->saw_foreign = true;
        return 0;
    }

    r = denials_rates_add(&denials->rates, denial.sandbox);
    if (r >= 0)
        r = make_entry(denials, &denial, &entry);
    if (r < 0)
        return r;
    send_entry(&entry);
    return 0;
}

/* Looks again when every window that has begun by now is over. */
static int arm(struct denials *denials)
{
    if (denials->rates.n == 0)
        return 0;
    int r = sd_event_source_set_time_relative(denials->timer, DENIAL_WINDOW_NSEC / 1000);
    return r < 0 ? r : sd_event_source_set_enabled(denials->timer, SD_EVENT_ONESHOT);
}

static bool is_armed(const struct denials *denials)
{
    return sd_event_source_get_enabled(denials->timer, NULL) > 0;
}

/* sd-event's callbacks end the loop by what they return, as systemd is to start another one then:
 * see sd_event_source_set_exit_on_failure(3) below. */
static int on_readable(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
    struct denials *denials = userdata;

    (void)source;
    (void)fd;
    (void)revents;
    int r = ring_buffer__consume(denials->ring);
    if (r < 0)
        return r;
    return is_armed(denials) ? 0 : arm(denials);
}

/* Whether to look again at what may be counted of a sandbox; or a negative errno. */
static int look(__u32 sandbox, void *userdata)
{
    struct denials *denials = userdata;
    struct denial_entry entry;
    struct denial_rate rate;

    int r = bpf_map_lookup_elem(denials->rates_map, &sandbox, &rate);
    if (r < 0 && r != -ENOENT)
        return r;
    enum denials_look judged = denials_rates_judge(r < 0 ? NULL : &rate, now_nsec(CLOCK_BOOTTIME));
    if (judged != LOOK_TELL)
        return judged == LOOK_AGAIN;
    /* Not there any more, or without a count: a record has come meanwhile and carried it away. */
    r = bpf_map_lookup_and_delete_elem(denials->rates_map, &sandbox, &rate);
    if (r == -ENOENT || (r >= 0 && rate.dropped == 0))
        return 0;
    if (r >= 0)
        r = denial_entry_make_rest(sandbox, name_of(denials, sandbox), rate.dropped, &entry);
    if (r < 0)
        return r;
    send_entry(&entry);
    return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
    struct denials *denials = userdata;

    (void)source;
    (void)usec;
    int r = denials_rates_look(&denials->rates, look, denials);
    return r < 0 ? r : arm(denials);
}

/* What was counted before this process was there. */
static int add_all(struct denials *denials)
{
    __u32 sandbox, *previous = NULL;

    while (bpf_map_get_next_key(denials->rates_map, previous, &sandbox) == 0) {
        int r = denials_rates_add(&denials->rates, sandbox);
        if (r < 0)
            return r;
        previous = &sandbox;
    }
    return errno == ENOENT ? 0 : -errno;
}

/* For reading and writing: the ring buffer is told how far it was read, and counts are taken away.
 */
static int open_pin(const char *path)
{
    int fd = bpf_obj_get(path);
    if (fd < 0)
        fprintf(stderr,
                SD_ERR "%s: cannot open: %s; pam-sandbox-lsm.service puts it there while the "
                       "policy is loaded\n",
                path, strerror(-fd));
    return fd;
}

static int open_maps(struct denials *denials)
{
    _cleanup_close_ int ring = open_pin(DENIALS_PIN);
    if (ring < 0)
        return ring;
    denials->rates_map = open_pin(RATES_PIN);
    if (denials->rates_map < 0)
        return denials->rates_map;

    denials->ring = ring_buffer__new(ring, on_record, denials, NULL);
    if (!denials->ring) {
        int r = -errno;
        fprintf(stderr, SD_ERR "%s: cannot read from it: %s\n", DENIALS_PIN, strerror(-r));
        return r;
    }
    return 0;
}

static int add_sources(struct denials *denials, sd_event *event)
{
    int r = sd_event_add_io(event, &denials->readable, ring_buffer__epoll_fd(denials->ring),
                            EPOLLIN, on_readable, denials);
    if (r >= 0)
        r = sd_event_add_time_relative(event, &denials->timer, CLOCK_BOOTTIME, 0, 0, on_timer,
                                       denials);
    if (r >= 0)
        r = sd_event_source_set_enabled(denials->timer, SD_EVENT_OFF);
    if (r >= 0)
        r = sd_event_source_set_exit_on_failure(denials->readable, true);
    if (r >= 0)
        r = sd_event_source_set_exit_on_failure(denials->timer, true);
    return r;
}

static int run(struct denials *denials, sd_event *event)
{
    int r = sd_event_set_signal_exit(event, true);
    if (r >= 0)
        r = sd_event_set_watchdog(event, true);
    if (r >= 0)
        r = open_maps(denials);
    if (r >= 0)
        r = add_sources(denials, event);
    if (r >= 0)
        r = add_all(denials);
    if (r >= 0)
        r = arm(denials);
    if (r < 0)
        return r;
    sd_notify(0, "READY=1");
    r = sd_event_loop(event);
    sd_notify(0, "STOPPING=1");
    return r;
}

static void done(struct denials *denials)
{
    sd_event_source_unref(denials->readable);
    sd_event_source_unref(denials->timer);
    ring_buffer__free(denials->ring);
    if (denials->rates_map >= 0)
        close(denials->rates_map);
    denials_rates_done(&denials->rates);
    denials_names_done(&denials->names);
}

int main(int argc, char **argv)
{
    static const char help[] =
        "denials\n\nWrites what the kernel policy denies sandbox users to the journal.\n"
        "Started by pam-sandbox-denials.service; see pam-sandbox-denials(8).";
    struct denials denials = { .rates_map = -1 };
    sd_event *event = NULL;

    int r = program_options(argc, argv, help);
    if (r >= 0)
        return r;

    r = sd_event_default(&event);
    if (r >= 0)
        r = run(&denials, event);
    if (r < 0)
        fprintf(stderr, SD_ERR "denials are not logged: %s\n", strerror(-r));
    done(&denials);
    sd_event_unref(event);
    return r < 0 ? 1 : 0;
}
