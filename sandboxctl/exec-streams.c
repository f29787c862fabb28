/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sandboxctl/exec-streams.h"

#include "conf/cleanup.h"
#include "entry/streams.h"
#include "sandboxctl/say.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

/* As much as an unprivileged user may have a pipe hold (fs.pipe-max-size). */
#define PIPE_SIZE (1 << 20)

static void add_pump(struct exec_streams *streams, int from, int to, bool is_output)
{
    streams->pumps[streams->n_pumps++] = (struct pump){
        .from = from,
        .to = to,
        .over = is_output ? streams->over : -1,
        .close_from = is_output && !streams->is_terminal,
    };
}

static int open_pipe(struct exec_streams *streams, int i, int fd)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return say_error(errno, "cannot make a pipe"), -errno;
    (void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
    streams->passed[i] = ends[i == 0 ? 0 : 1];
    if (i == 0)
        add_pump(streams, fd, ends[1], false);
    else
        /* Closed by its pump, which is not to close the caller's. */
        add_pump(streams, ends[0], fcntl(fd, F_DUPFD_CLOEXEC, 3), true);
    return 0;
}

static int open_three(struct exec_streams *streams, const int fds[static 3])
{
    for (int i = 0; i < 3; i++) {
        const enum stream kind = i == 0 ? STREAM_INPUT : STREAM_OUTPUT;
        int r = 0;

        if (!stream_refused(fds[i], kind, geteuid()))
            streams->passed[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
        else
            r = open_pipe(streams, i, fds[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

/* A terminal of its own between the caller's and the session's, which run0 makes: the door takes
 * none that is somebody's already. */
static int open_terminal(struct exec_streams *streams)
{
    struct winsize size;

    streams->is_terminal = true;
    streams->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (streams->terminal < 0 || unlockpt(streams->terminal) < 0)
        return say_error(errno, "cannot make a pseudoterminal"), -errno;
    streams->passed[0] = ioctl(streams->terminal, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (streams->passed[0] < 0)
        return say_error(errno, "cannot open a pseudoterminal"), -errno;
    if (tcgetattr(STDIN_FILENO, &streams->before) == 0)
        (void)tcsetattr(streams->passed[0], TCSANOW, &streams->before);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        (void)ioctl(streams->terminal, TIOCSWINSZ, &size);
    add_pump(streams, STDIN_FILENO, fcntl(streams->terminal, F_DUPFD_CLOEXEC, 3), false);
    add_pump(streams, streams->terminal, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), true);
    return 0;
}

int exec_streams_open(struct exec_streams *streams, int input)
{
    const int fds[3] = { input >= 0 ? input : STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };

    *streams = (struct exec_streams){ .passed = { -1, -1, -1 }, .terminal = -1 };
    streams->over = eventfd(0, EFD_CLOEXEC);
    if (streams->over < 0)
        return say_error(errno, "cannot make an eventfd"), -errno;
    return isatty(fds[0]) && isatty(fds[1]) && isatty(fds[2]) ? open_terminal(streams)
                                                              : open_three(streams, fds);
}

int exec_streams_start(struct exec_streams *streams)
{
    /* A terminal's far end stays open: without any, the near end is in error until run0 has it. */
    for (int i = 0; i < 3 && !streams->is_terminal; i++)
        close(steal_fd(&streams->passed[i]));
    if (streams->is_terminal) {
        struct termios raw = streams->before;

        cfmakeraw(&raw);
        streams->is_raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    }
    for (size_t i = 0; i < streams->n_pumps; i++) {
        int r = pump_start(&streams->pumps[i]);
        if (r < 0)
            return r;
    }
    return 0;
}

void exec_streams_resize(struct exec_streams *streams)
{
    struct winsize size;

    /* Whoever has it as controlling terminal is told by the kernel: run0, which tells the
     * session's. */
    if (streams->is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        (void)ioctl(streams->terminal, TIOCSWINSZ, &size);
}

void exec_streams_close(struct exec_streams *streams)
{
    const uint64_t one = 1;

    if (write(streams->over, &one, sizeof(one)) == sizeof(one))
        for (size_t i = 0; i < streams->n_pumps; i++)
            if (streams->pumps[i].over >= 0 && streams->pumps[i].thread)
                pthread_join(streams->pumps[i].thread, NULL);
    if (streams->is_raw)
        (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &streams->before);
}
