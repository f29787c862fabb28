/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* firewall-bench UID PORT PACKETS: nanoseconds for each packet that a socket of uid sends over the
 * loopback interface. uid 0 sends datagrams; another sends to the TCP port and has each byte back,
 * which is two packets of either side. */

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint64_t cpu_nsec(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void check(const char *what, int r)
{
    if (r >= 0)
        return;
    perror(what);
    exit(1);
}

int main(int argc, char **argv)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof address;
    const int one = 1;
    int server, client, peer;

    if (argc != 4)
        return 2;
    const uid_t uid = (uid_t)atoi(argv[1]);
    const int type = uid == 0 ? SOCK_DGRAM : SOCK_STREAM, n = atoi(argv[3]);
    address.sin_port = htons((uint16_t)atoi(argv[2]));
    check("socket", server = socket(AF_INET, type, 0));
    check("setsockopt", setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one));
    check("bind", bind(server, (struct sockaddr *)&address, sizeof address));
    if (type == SOCK_STREAM)
        check("listen", listen(server, 1));
    check("getsockname", getsockname(server, (struct sockaddr *)&address, &size));
    setfsuid(uid);
    check("socket", client = socket(AF_INET, type, 0));
    setfsuid(0);
    check("connect", connect(client, (struct sockaddr *)&address, sizeof address));
    peer = server;
    if (type == SOCK_STREAM) {
        check("accept", peer = accept(server, NULL, NULL));
        check("setsockopt", setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one));
        check("setsockopt", setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one));
    }

    const uint64_t begin = cpu_nsec();
    for (int i = 0; i < n; i++) {
        char byte = 0;

        check("send", (int)send(client, &byte, 1, 0));
        check("recv", (int)recv(peer, &byte, 1, 0));
        if (type == SOCK_DGRAM)
            continue;
        check("send", (int)send(peer, &byte, 1, 0));
        check("recv", (int)recv(client, &byte, 1, 0));
    }
    printf("%.1f\n", (double)(cpu_nsec() - begin) / n);
    return 0;
}
