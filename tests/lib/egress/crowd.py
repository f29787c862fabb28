#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# crowd.py slow N      N clients that say half a head each and no more; one more is answered
# crowd.py idle N      N tunnels that were used once and are kept; likewise. Prints the
#                      proxy's memory in KiB for each, if PROXY_PID is set
# crowd.py full N M    N clients, of which the proxy takes M; one that waits is answered as
#                      soon as one of them has gone
# crowd.py deaf        a client that asks for much and reads nothing: the proxy's memory
#                      stays where it is
#
# Environment as for wire.py.

import os
import resource
import select
import socket
import ssl
import sys

HOST = b"said.example"


def connect():
    host, port = os.environ["EGRESS_PROXY"].rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=60)


def say(answer):
    return b"GET http://%s/say/%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (HOST, answer.hex().encode(), HOST)


OK = say(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def is_answered(connection):
    data = b""
    while not data.endswith(b"ok"):
        piece = connection.recv(4096)
        if not piece:
            return False
        data += piece
    return True


def memory():
    with open("/proc/%s/status" % os.environ["PROXY_PID"]) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def slow(n):
    crowd = []
    for _ in range(n):
        connection = connect()
        connection.sendall(b"GET http://said.exa")
        crowd.append(connection)
    last = connect()
    last.sendall(OK)
    return is_answered(last)


def idle(n):
    before = memory()
    context = ssl.create_default_context(cafile=os.environ["EGRESS_CA"])
    crowd = []
    for _ in range(n):
        connection = connect()
        connection.sendall(b"CONNECT %s:443 HTTP/1.1\r\nHost: %s\r\n\r\n" % (HOST, HOST))
        connection.recv(4096)
        tunnel = context.wrap_socket(connection, server_hostname=HOST.decode())
        tunnel.sendall(b"POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n" % HOST)
        tunnel.recv(4096)
        crowd.append(tunnel)
    print((memory() - before) / n)
    last = connect()
    last.sendall(OK)
    return is_answered(last)


def full(n, taken):
    crowd = []
    for _ in range(n):
        connection = connect()
        connection.sendall(OK)
        crowd.append(connection)
    answered = []
    while True:
        ready = select.select([c for c in crowd if c not in answered], [], [], 3)[0]
        if not ready:
            break
        for connection in ready:
            if not is_answered(connection):
                return False
            answered.append(connection)
    print("%d of %d were answered" % (len(answered), n))
    if len(answered) != taken:
        return False
    answered[0].close()
    waiting = [c for c in crowd if c not in answered]
    ready = select.select(waiting, [], [], 20)[0]
    return len(ready) == 1 and is_answered(ready[0])


def deaf():
    connection = connect()
    before = memory()
    # As much as fits into its line of a request; and it comes again and again.
    size = 16000
    request = say(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size)
    connection.settimeout(3)
    try:
        while True:
            connection.sendall(request)
    except TimeoutError:
        pass
    print("%d KiB more" % (memory() - before))
    if memory() - before > 2000:
        return False
    last = connect()
    last.sendall(OK)
    return is_answered(last)


def main():
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    function = {"slow": slow, "idle": idle, "full": full, "deaf": deaf}[sys.argv[1]]
    return 0 if function(*map(int, sys.argv[2:])) else 1


sys.exit(main())
