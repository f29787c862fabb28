/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The relay between sockets of this process: entering a network namespace takes a privilege, and
 * the relay itself does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "conf/cleanup.h"
#include "pam_sandbox/container.h"

#define HEADINGS "Inter-|   Receive\n face |bytes\n"
#define LOOPBACK "    lo:       0\n"

/* More than all buffers on the way hold. */
#define MUCH (16 * 1024 * 1024)

struct relay {
    struct sockaddr_in near; /* as the container has it */
    int proxy;               /* listens where the proxy would */
    pid_t init;              /* the container's */
    pid_t process;
};

static int listen_at(struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof *address;

    *address = (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    assert_return_code(fd, errno);
    assert_return_code(bind(fd, (struct sockaddr *)address, size), errno);
    assert_return_code(listen(fd, 8), errno);
    assert_return_code(getsockname(fd, (struct sockaddr *)address, &size), errno);
    return fd;
}

static int file_of(const char *text)
{
    int fd = memfd_create("interfaces", MFD_CLOEXEC);

    assert_return_code(fd, errno);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return fd;
}

static void begin(struct relay *relay, const char *interfaces)
{
    struct sockaddr_in far;
    _cleanup_close_ int listener = listen_at(&relay->near), list = file_of(interfaces);

    relay->proxy = listen_at(&far);
    relay->init = fork();
    if (relay->init == 0) {
        pause();
        _exit(0);
    }
    assert_return_code(relay->init, errno);
    _cleanup_close_ int until = pidfd_open(relay->init, 0);
    assert_return_code(until, errno);
    relay->process = fork();
    if (relay->process == 0) {
        close(relay->proxy);
        container_relay(listener, list, until, ntohs(far.sin_port));
        _exit(0);
    }
    assert_return_code(relay->process, errno);
}

/* It ends by itself when the container does. */
static void end(struct relay *relay)
{
    int status;

    assert_return_code(kill(relay->init, SIGKILL), errno);
    assert_int_equal(waitpid(relay->init, NULL, 0), relay->init);
    assert_int_equal(waitpid(relay->process, &status, 0), relay->process);
    assert_int_equal(status, 0);
    close(relay->proxy);
}

static int connect_to(const struct relay *relay)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_return_code(fd, errno);
    assert_return_code(connect(fd, (const struct sockaddr *)&relay->near, sizeof relay->near),
                       errno);
    return fd;
}

static void read_all(int fd, const char *expected)
{
    char text[64];
    size_t used = 0;
    ssize_t n;

    while ((n = read(fd, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)n;
    assert_int_equal(n, 0);
    text[used] = '\0';
    assert_string_equal(text, expected);
}

static void each_direction_ends_by_itself(void **state)
{
    struct relay relay;

    (void)state;
    begin(&relay, HEADINGS LOOPBACK "  eth0:       0\n");
    for (int i = 0; i < 3; i++) {
        _cleanup_close_ int client = connect_to(&relay), server = -EBADF;

        assert_int_equal(write(client, "asked", 5), 5);
        assert_return_code(shutdown(client, SHUT_WR), errno);
        server = accept(relay.proxy, NULL, NULL);
        assert_return_code(server, errno);
        read_all(server, "asked");
        assert_int_equal(write(server, "answered", 8), 8);
        assert_return_code(shutdown(server, SHUT_WR), errno);
        read_all(client, "answered");
    }
    end(&relay);
}

static void much_is_complete(void **state)
{
    char *buffer = malloc(MUCH), *expected = malloc(MUCH);
    struct relay relay;
    size_t used = 0;
    ssize_t n;

    (void)state;
    assert_non_null(buffer);
    assert_non_null(expected);
    for (size_t i = 0; i < MUCH; i++)
        expected[i] = (char)(i * 7 + i / 251);
    begin(&relay, HEADINGS LOOPBACK "  eth0:       0\n");
    _cleanup_close_ int client = connect_to(&relay), server = accept(relay.proxy, NULL, NULL);
    assert_return_code(server, errno);
    const pid_t writer = fork();
    if (writer == 0) {
        for (size_t done = 0; done < MUCH; done += (size_t)n)
            if ((n = write(server, expected + done, MUCH - done)) <= 0)
                _exit(1);
        _exit(0);
    }
    close(steal_fd(&server));
    while ((n = read(client, buffer + used, MUCH - used)) > 0)
        used += (size_t)n;
    assert_int_equal(used, MUCH);
    assert_memory_equal(buffer, expected, MUCH);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    free(buffer);
    free(expected);
    end(&relay);
}

static void nothing_without_a_network(void **state)
{
    static const char *const lists[] = { HEADINGS LOOPBACK, HEADINGS, "" };

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct relay relay;

        begin(&relay, lists[i]);
        _cleanup_close_ int client = connect_to(&relay);
        read_all(client, "");
        end(&relay);
    }
}

static void without_the_proxy(void **state)
{
    struct relay relay;

    (void)state;
    begin(&relay, HEADINGS LOOPBACK "  eth0:       0\n");
    assert_return_code(shutdown(relay.proxy, SHUT_RDWR), errno);
    _cleanup_close_ int client = connect_to(&relay);
    read_all(client, "");
    end(&relay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_direction_ends_by_itself),
        cmocka_unit_test(much_is_complete),
        cmocka_unit_test(nothing_without_a_network),
        cmocka_unit_test(without_the_proxy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
