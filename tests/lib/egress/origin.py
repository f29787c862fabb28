#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# origin.py ADDRESS [CERTIFICATE KEY]
#
# An origin that says what it is told: a request for /say/HEX... is answered with these
# bytes, whatever they are. Ports 80, and 443 when there is a certificate. In the path,
# before /say:
#
#   /close      the connection is closed after the answer; it is kept open otherwise
#   /rude       likewise, and with TLS without close_notify
#   /once       only the first request on a connection is answered; a second one closes it
#   /hold       nothing is read but the head, and nothing is said
#   /endless    the head of the answer has no end
#   /echo       in place of /say: after the answer, bytes come back as they are sent
#
# /last answers with the head and body of the request before, /count with how many
# connections there were. Single words of HTTP are all it knows; it is no server.

import re
import socket
import ssl
import sys
import threading
import time

last = b""
connections = 0


def receive_head(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None, b""
        data += piece
    head, rest = data.split(b"\r\n\r\n", 1)
    return head + b"\r\n\r\n", rest


def receive_body(connection, head, rest):
    length = re.search(rb"(?im)^content-length: (\d+)", head)
    if length:
        rest = bytearray(rest)
        while len(rest) < int(length[1]):
            piece = connection.recv(65536)
            if not piece:
                break
            rest += piece
    elif re.search(rb"(?im)^transfer-encoding: chunked", head):
        rest = bytearray(rest)
        while not re.search(rb"(^|\r\n)0\r\n([^\r\n]+\r\n)*\r\n$", rest[-200:]):
            piece = connection.recv(65536)
            if not piece:
                break
            rest += piece
    return rest


def serve(connection):
    global last
    answered = 0
    while True:
        head, rest = receive_head(connection)
        if head is None:
            return
        path = head.split(b" ")[1]
        if path == b"/last":
            body = last
        elif path == b"/count":
            body = b"%d" % connections
        else:
            body = None
        if body is not None:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            continue
        if b"/hold" in path:
            time.sleep(3600)
        if b"/endless" in path:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while True:
                connection.sendall(b"A: b\r\n" * 1000)
        if b"/once" in path and answered:
            return
        if b"/early" not in path and b"100-continue" not in head:
            rest = receive_body(connection, head, rest)
            last = head + rest
        match = re.search(rb"/(say|echo)/([0-9a-f]*)", path)
        if not match:
            return
        connection.sendall(bytes.fromhex(match[2].decode()))
        answered += 1
        if b"100-continue" in head:
            last = head + receive_body(connection, head, rest)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        if match[1] == b"echo":
            while piece := connection.recv(65536):
                connection.sendall(piece)
            return
        if b"/early" in path:
            while connection.recv(65536):
                pass
            return
        if b"/close" in path:
            if isinstance(connection, ssl.SSLSocket):
                try:
                    connection.unwrap()
                except OSError:
                    pass
            return
        if b"/rude" in path:
            return


def run(connection, context):
    global connections
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        connections += 1
        serve(connection)
    except OSError:
        pass
    finally:
        connection.close()


def listen(address, port, context):
    listener = socket.create_server((address, port), backlog=512)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=run, args=(connection, context), daemon=True).start()


def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        threading.Thread(target=listen, args=(sys.argv[1], 443, context), daemon=True).start()
    listen(sys.argv[1], 80, None)


main()
