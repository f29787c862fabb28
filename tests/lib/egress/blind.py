#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# blind.py: a proxy that looks at nothing, on the socket that the service manager passes.

import re
import socket
import sys
import threading


def relay(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    try:
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client):
    head = b""
    while b"\r\n\r\n" not in head:
        piece = client.recv(65536)
        if not piece:
            return
        head += piece
    method, target, _ = head.split(b" ", 2)
    match = re.match(rb"(?:http://)?(\[[^]]*\]|[^:/]*)(?::(\d+))?", target)
    host, port = match[1].strip(b"[]").decode(), int(match[2] or 80)
    try:
        origin = socket.create_connection((host, port), timeout=5)
    except OSError:
        client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        return
    if method == b"CONNECT":
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    else:
        path = re.sub(rb"^http://[^/]*", b"", target)
        origin.sendall(head.replace(target, path, 1))
    threading.Thread(target=relay, args=(client, origin), daemon=True).start()
    relay(origin, client)


def main():
    listener = socket.socket(fileno=3)
    listener.setblocking(True)
    while True:
        client, _ = listener.accept()

        def run(client=client):
            with client:
                serve(client)

        threading.Thread(target=run, daemon=True).start()


sys.exit(main())
