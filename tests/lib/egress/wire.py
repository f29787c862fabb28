#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# wire.py --list
# wire.py CASE
#
# What the proxy answers to bytes, and what it sends on: one case a function. Environment:
# EGRESS_PROXY, ADDRESS:PORT; EGRESS_CA, a file of certificates to trust. The origin is
# origin.py, by the name of said.example, and names.py the resolver; the policy allows POST and PUT to said.example
# below /write, and WebSocket below /socket.

import os
import re
import socket
import ssl
import sys
import time

HOST = "said.example"
cases = {}


def case(function):
    cases[function.__name__] = function
    return function


class Failed(Exception):
    pass


def check(condition, what, seen=b""):
    if not condition:
        raise Failed("%s; seen: %r" % (what, bytes(seen)[:2000] if seen != b"" else b""))


def connect():
    host, port = os.environ["EGRESS_PROXY"].rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=20)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def tunnel(target=HOST + ":443", name=HOST, **kwargs):
    connection = connect()
    connection.sendall(b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (target.encode(), target.encode()))
    answer = receive_until(connection, b"\r\n\r\n")
    check(answer.startswith(b"HTTP/1.1 200 "), "CONNECT is granted", answer)
    if name is None:
        return connection
    context = ssl.create_default_context(cafile=os.environ["EGRESS_CA"])
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context.wrap_socket(connection, server_hostname=name, **kwargs)


def receive_until(connection, end):
    data = b""
    while end not in data:
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    return data


def receive_all(connection):
    data = b""
    while True:
        try:
            piece = connection.recv(65536)
        except (ConnectionResetError, ssl.SSLError):
            return data + b"<reset>"
        if not piece:
            return data
        data += piece


class Response:
    def __init__(self, connection, head_only=False):
        data = receive_until(connection, b"\r\n\r\n")
        check(b"\r\n\r\n" in data, "there is a whole head", data)
        self.head, rest = data.split(b"\r\n\r\n", 1)
        self.status = int(self.head.split(b" ")[1])
        self.rest = b""
        length = re.search(rb"(?im)^content-length: (\d+)", self.head)
        if head_only or self.status in (204, 304) or self.status < 200:
            self.body, self.rest = b"", rest
        elif length:
            rest = bytearray(rest)
            while len(rest) < int(length[1]):
                piece = connection.recv(65536)
                check(piece, "the body is whole", data)
                rest += piece
            rest = bytes(rest)
            self.body, self.rest = rest[: int(length[1])], rest[int(length[1]) :]
        elif re.search(rb"(?im)^transfer-encoding: chunked", self.head):
            self.read_chunks(connection, rest)
        else:
            self.body = rest + receive_all(connection)

    def read_chunks(self, connection, rest):
        self.body = b""
        while True:
            while b"\r\n" not in rest:
                rest += self.more(connection)
            size, rest = rest.split(b"\r\n", 1)
            size = int(size, 16)
            if size == 0:
                while not (rest.startswith(b"\r\n") or b"\r\n\r\n" in rest):
                    rest += self.more(connection)
                self.trailers, self.rest = rest.split(b"\r\n", 1) if rest.startswith(b"\r\n") else rest.split(b"\r\n\r\n", 1)
                return
            while len(rest) < size + 2:
                rest += self.more(connection)
            self.body += rest[:size]
            check(rest[size : size + 2] == b"\r\n", "a chunk ends", rest)
            rest = rest[size + 2 :]

    @staticmethod
    def more(connection):
        piece = connection.recv(65536)
        check(piece, "the chunks are whole")
        return piece

    def has(self, pattern):
        return re.search(b"(?im)^" + pattern + b"\r?$", self.head)


def say(answer, how=""):
    return (how + "/say/" + answer.encode("latin-1").hex()).encode()


def get(path, fields=b"", method=b"GET", version=b"1.1"):
    return b"%s %s HTTP/%s\r\nHost: %s\r\n%s\r\n" % (method, path, version, HOST.encode(), fields)


def ask(connection, request, **kwargs):
    connection.sendall(request)
    return Response(connection, **kwargs)


OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def last():
    return ask(tunnel(), get(b"/last")).body


def count():
    return int(ask(tunnel(), get(b"/count")).body)


def refused(answer, status, token):
    check(answer.status == status, "the status is %d" % status, answer.head)
    check(answer.has(b"X-Egress-Denied: " + token), "the header names " + token.decode(), answer.head)
    check(answer.body.endswith(b"\n") and answer.body.count(b"\n") == 1, "the body is a line", answer.body)


# --- what a client may send ---

MALFORMED = {
    "both_lengths": b"POST / HTTP/1.1\r\nHost: said.example\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "differing_lengths": b"POST / HTTP/1.1\r\nHost: said.example\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    "doubled_coding": b"POST / HTTP/1.1\r\nHost: said.example\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "unknown_coding": b"POST / HTTP/1.1\r\nHost: said.example\r\nTransfer-Encoding: gzip\r\n\r\n",
    "bare_lf": b"GET / HTTP/1.1\nHost: said.example\n\n",
    "nul": b"GET / HTTP/1.1\r\nHost: said.example\r\nA: \0\r\n\r\n",
    "bare_cr": b"GET / HTTP/1.1\r\nHost: said.example\r\nA: b\rc\r\n\r\n",
    "space_before_colon": b"GET / HTTP/1.1\r\nHost : said.example\r\n\r\n",
    "folded": b"GET / HTTP/1.1\r\nHost: said.example\r\nA: b\r\n c\r\n\r\n",
    "connection_names_host": b"GET / HTTP/1.1\r\nHost: said.example\r\nConnection: host\r\n\r\n",
    "no_host": b"GET / HTTP/1.1\r\n\r\n",
    "two_hosts": b"GET / HTTP/1.1\r\nHost: said.example\r\nHost: said.example\r\n\r\n",
    "userinfo": b"GET / HTTP/1.1\r\nHost: a@said.example\r\n\r\n",
    "port_no_number": b"GET / HTTP/1.1\r\nHost: said.example:x\r\n\r\n",
    "numeric_host": b"GET / HTTP/1.1\r\nHost: 0x7f000001\r\n\r\n",
}
OUTSIDE = {
    "absolute_other_host": b"GET http://said.example/ HTTP/1.1\r\nHost: other.example\r\n\r\n",
    "absolute_userinfo": b"GET http://a@said.example/ HTTP/1.1\r\nHost: said.example\r\n\r\n",
    "connect_bare_v6": b"CONNECT ::1:443 HTTP/1.1\r\nHost: [::1]:443\r\n\r\n",
    "connect_without_port": b"CONNECT said.example HTTP/1.1\r\nHost: said.example\r\n\r\n",
    "connect_decimal": b"CONNECT 2130706433:443 HTTP/1.1\r\nHost: 2130706433:443\r\n\r\n",
}


def add_malformed(name, raw, inside):
    def run():
        connection = tunnel() if inside else connect()
        connection.sendall(raw)
        answer = Response(connection)
        refused(answer, 400, b"malformed")
        check(answer.has(b"Connection: close"), "it says that it closes", answer.head)
        check(receive_all(connection) == b"", "and closes")

    run.__name__ = "malformed_" + name
    case(run)


for name, raw in MALFORMED.items():
    add_malformed(name, raw, True)
for name, raw in OUTSIDE.items():
    add_malformed(name, raw, False)


@case
def a_chunk_with_a_sign():
    connection = tunnel()
    connection.sendall(get(b"/write/close" + say(OK), b"Transfer-Encoding: chunked\r\n", b"POST") + b"+1\r\nx\r\n0\r\n\r\n")
    refused(Response(connection), 400, b"malformed")


@case
def chunk_extensions_end_here():
    connection = tunnel()
    request = get(b"/write" + say(OK), b"Transfer-Encoding: chunked\r\n", b"POST")
    answer = ask(connection, request + b"3;a=b;c\r\nabc\r\n0;d\r\nT: 1\r\n\r\n")
    check(answer.status == 200, "it is allowed", answer.head)
    seen = last()
    check(seen.endswith(b"\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n"), "framed anew, with its trailer", seen)


@case
def hop_by_hop_fields_end_here():
    fields = b"Connection: X-Mine\r\nX-Mine: 1\r\nProxy-Authorization: Basic eA==\r\nTE: trailers\r\nX-Kept: 1\r\n"
    answer = ask(tunnel(), get(say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: X-Theirs\r\nX-Theirs: 1\r\n"
                                   "Alt-Svc: h3=\":443\"\r\nKeep-Alive: timeout=5\r\nX-Kept: 1\r\n\r\n"), fields))
    check(answer.has(b"X-Kept: 1"), "other fields pass", answer.head)
    for name in b"X-Theirs", b"Alt-Svc", b"Keep-Alive", b"Connection":
        check(not answer.has(name + b": .*"), "to the client", answer.head)
    seen = last()
    check(b"\r\nX-Kept: 1\r\n" in seen, "other fields pass", seen)
    for name in b"X-Mine", b"Proxy-Authorization", b"TE", b"Connection":
        check(b"\r\n" + name + b": " not in seen, "to the origin", seen)


@case
def paths_stay_as_they_are():
    path = b"/@s%2fn//a;b\\c?x=%2e&y=/../"
    ask(tunnel(), get(path + b"&" + say(OK)))
    seen = last()
    check(seen.startswith(b"GET " + path + b"&/say"), "the path", seen)


@case
def pipelined_requests_in_order():
    connection = tunnel()
    connection.sendall(b"".join(get(say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d" % i)) for i in range(8)))
    seen = b""
    while seen.count(b"HTTP/1.1 200") < 8 or not seen.endswith(b"7"):
        piece = connection.recv(65536)
        check(piece, "eight answers", seen)
        seen += piece
    check(re.findall(rb"\r\n\r\n(\d)", seen) == [b"%d" % i for i in range(8)], "in order", seen)


@case
def pipelined_behind_a_refusal():
    connection = tunnel()
    connection.sendall(get(b"/x", b"Content-Length: 3\r\n", b"POST") + b"abc" + get(say(OK)))
    first = Response(connection)
    refused(first, 403, b"no-write-rule")
    check(not first.has(b"Connection: close"), "the connection stays", first.head)
    seen = first.rest
    while not seen.endswith(b"ok"):
        seen += connection.recv(65536)
    check(seen.startswith(b"HTTP/1.1 200 OK"), "and the next is answered", seen)


@case
def keep_alive_on_both_legs():
    before = count()
    connection = tunnel()
    for _ in range(5):
        check(ask(connection, get(say(OK))).body == b"ok", "an answer")
    check(count() - before <= 1, "one connection to the origin")


@case
def half_closed_clients_get_their_answer():
    connection = connect()
    connection.sendall(b"GET http://%s%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (HOST.encode(), say(OK), HOST.encode()))
    connection.shutdown(socket.SHUT_WR)
    check(Response(connection).body == b"ok", "the answer")


@case
def absolute_form_to_https():
    answer = ask(connect(), b"GET https://%s%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (HOST.encode(), say(OK), HOST.encode()))
    check(answer.body == b"ok", "the answer", answer.head)


@case
def http10_clients():
    for how in "", "/close":
        connection = connect()
        connection.sendall(b"GET http://%s%s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" % (HOST.encode(),
            say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", how)))
        answer = Response(connection)
        check(answer.has(b"Connection: close"), "it says that it closes", answer.head)
        check(not answer.has(b"Transfer-Encoding: .*"), "no chunks", answer.head)
        check(answer.body == b"ok", "the body", answer.body)


# --- tunnels ---

@case
def http_in_a_tunnel():
    for target in ":443", ":80":
        connection = tunnel(HOST + target, None)
        answer = ask(connection, b"POST /x HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n" % (HOST + target).encode())
        refused(answer, 403, b"no-write-rule")
    check(ask(connection, get(say(OK))).body == b"ok", "and reads pass")


@case
def hello_behind_connect():
    context = ssl.create_default_context(cafile=os.environ["EGRESS_CA"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=HOST)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    connection = connect()
    connection.sendall(b"CONNECT %s:443 HTTP/1.1\r\nHost: %s\r\n\r\n" % (HOST.encode(), HOST.encode()) + outgoing.read())
    seen = receive_until(connection, b"\r\n\r\n")
    incoming.write(seen.split(b"\r\n\r\n", 1)[1])
    while True:
        try:
            tls.do_handshake()
            break
        except ssl.SSLWantReadError:
            incoming.write(connection.recv(65536))
    check(tls.version(), "the handshake is done")


@case
def raw_bytes_in_a_tunnel():
    for raw in b"\0\1\2\3", b"ssh", b"{}":
        connection = tunnel(HOST + ":22", None)
        connection.sendall(raw)
        check(receive_all(connection) in (b"", b"<reset>"), "it is closed")


@case
def another_host_in_the_tunnel():
    connection = tunnel()
    answer = ask(connection, b"GET / HTTP/1.1\r\nHost: other.example\r\n\r\n")
    refused(answer, 403, b"identity")
    answer = ask(connection, b"GET / HTTP/1.1\r\nHost: %s:8443\r\n\r\n" % HOST.encode())
    refused(answer, 403, b"identity")
    answer = ask(connection, b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (HOST.encode(), HOST.encode()))
    refused(answer, 403, b"identity")


@case
def another_name_in_the_handshake():
    connection = tunnel(name="other.example")
    refused(ask(connection, get(say(OK))), 403, b"identity")


@case
def no_name_in_the_handshake():
    context = ssl.create_default_context(cafile=os.environ["EGRESS_CA"])
    context.check_hostname = False
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        context.minimum_version = context.maximum_version = version
        connection = context.wrap_socket(tunnel(name=None))
        names = connection.getpeercert()["subjectAltName"]
        check(names == (("DNS", HOST),), "the certificate is the tunnel's host's", repr(names).encode())
        check(ask(connection, get(say(OK))).body == b"ok", "an answer")


@case
def resumption_does_not_cross_hosts():
    context = ssl.create_default_context(cafile=os.environ["EGRESS_CA"])

    def shake(target, session):
        connection = context.wrap_socket(tunnel(target, None), server_hostname=HOST, session=session)
        # A ticket comes with the second answer.
        for _ in range(2):
            connection.sendall(get(say(OK)))
            Response(connection)
        return connection

    first = shake(HOST + ":443", None)
    check(shake(HOST + ":443", first.session).session_reused, "a session is resumed")
    check(not shake("other.example:443", first.session).session_reused, "but not at another host")


@case
def an_end_that_comes_with_the_request():
    connection = tunnel(name=None)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context(cafile=os.environ["EGRESS_CA"])
    client = context.wrap_bio(incoming, outgoing, server_hostname=HOST)

    def drive(step):
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                connection.sendall(outgoing.read())
                piece = connection.recv(65536)
                check(piece, "there is more")
                incoming.write(piece)

    drive(client.do_handshake)
    client.write(get(say(OK)))
    try:
        client.unwrap()
    except ssl.SSLWantReadError:
        pass
    # Both in one segment, and TCP goes on.
    connection.sendall(outgoing.read())
    while piece := connection.recv(65536):
        incoming.write(piece)
    incoming.write_eof()
    data = b""
    try:
        while piece := client.read(65536):
            data += piece
    except ssl.SSLError:
        pass
    check(data.endswith(b"\r\n\r\nok"), "an answer, and the end", data)


@case
def tunnels_within_tunnels():
    refused(ask(tunnel(), b"CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n"), 403, b"no-proxy-request")


@case
def the_proxy_itself():
    connection = connect()
    refused(ask(connection, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 403, b"no-proxy-request")
    for host in b"127.0.0.1:3128", b"localhost", b"a.localhost:80", b"[::1]:1":
        refused(ask(connection, b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, host)), 403, b"self")


@case
def addresses_inside():
    connection = connect()
    for host in b"10.1.2.3", b"169.254.169.254", b"[fd00:ec2::254]", b"[::ffff:10.0.0.1]", b"100.64.0.1", b"192.52.193.1", b"inside.example":
        answer = ask(connection, b"GET http://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, host))
        check(answer.status == 502, host.decode(), answer.head)
        refused(answer, 502, b"address")


# --- bodies and interim answers ---

@case
def continue_only_after_the_policy():
    connection = tunnel()
    fields = b"Expect: 100-continue\r\nContent-Length: 3\r\n"
    answer = ask(connection, get(b"/x", fields, b"POST"))
    refused(answer, 403, b"no-write-rule")
    connection = tunnel()
    answer = ask(connection, get(b"/write" + say("HTTP/1.1 100 Continue\r\n\r\n"), fields, b"POST"))
    check(answer.status == 100, "the origin's 100", answer.head)
    check(ask(connection, b"abc").status == 200, "and then its answer")
    check(last().endswith(b"\r\n\r\nabc"), "to the body")


@case
def interim_answers_pass():
    connection = tunnel()
    connection.sendall(get(say("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK)))
    first = Response(connection)
    check(first.status == 103, "103, and no 100 that nobody asked for", first.head)
    seen = first.rest
    while not seen.endswith(b"ok"):
        seen += connection.recv(65536)
    check(seen.startswith(b"HTTP/1.1 200"), "then the answer", seen)


@case
def trailers_pass():
    answer = ask(tunnel(), get(say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nT: 1\r\nSet-Cookie: a\r\n\r\n")))
    check(answer.body == b"ok" and answer.trailers == b"T: 1", "body and trailer", answer.trailers)


@case
def ends_by_closing():
    before = count()
    for version in "1.1", "1.0":
        connection = tunnel()
        for _ in range(2):
            answer = ask(connection, get(say("HTTP/%s 200 OK\r\n\r\nok" % version, "/close")))
            check(answer.has(b"Transfer-Encoding: chunked"), "framed anew", answer.head)
            check(answer.body == b"ok", "the body", answer.body)
    check(count() - before >= 4, "the origin's connections are not used again")


@case
def cut_off_by_closing():
    connection = tunnel()
    connection.sendall(get(say("HTTP/1.1 200 OK\r\n\r\nok", "/rude")))
    seen = receive_all(connection)
    check(b"ok" in seen and not seen.endswith(b"0\r\n\r\n"), "an end that is none", seen)


@case
def cut_off_bodies():
    for answer in ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok",
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"):
        connection = tunnel()
        connection.sendall(get(say(answer, "/close")))
        seen = receive_all(connection)
        check(b"ok" in seen and not seen.endswith(b"0\r\n\r\n"), "cut off here, too", seen)


@case
def cut_off_for_http10():
    for how, whole in ("/close", True), ("/rude", False):
        connection = tunnel(suppress_ragged_eofs=False)
        connection.sendall(get(say("HTTP/1.1 200 OK\r\n\r\nok", how), version=b"1.0"))
        seen = receive_all(connection)
        check(seen.endswith(b"ok" if whole else b"ok<reset>"), "whole" if whole else "cut off", seen)


@case
def heads_say_the_length():
    connection = tunnel()
    answer = ask(connection, get(say("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n"), b"", b"HEAD"), head_only=True)
    check(answer.has(b"Content-Length: 12345"), "HEAD", answer.head)
    answer = ask(connection, get(say("HTTP/1.1 304 Not Modified\r\nContent-Length: 12345\r\n\r\n")))
    check(answer.status == 304 and answer.has(b"Content-Length: 12345"), "304", answer.head)
    answer = ask(connection, get(say("HTTP/1.1 204 No Content\r\n\r\n")))
    check(answer.status == 204, "204", answer.head)
    check(ask(connection, get(say(OK))).body == b"ok", "and the connection goes on")


@case
def bodies_on_reads_need_a_rule():
    connection = tunnel()
    refused(ask(connection, get(say(OK), b"Content-Length: 1\r\n") + b"x"), 403, b"body-on-read")
    check(ask(connection, get(say(OK), b"Content-Length: 0\r\n")).body == b"ok", "an empty one does not")


@case
def methods_that_are_not_meant():
    connection = tunnel()
    refused(ask(connection, get(say(OK), b"X-HTTP-Method-Override: DELETE\r\n")), 403, b"method-override")
    check(ask(connection, get(say(OK), b"X-HTTP-Method-Override: GET\r\n")).body == b"ok", "the method that it is")


@case
def early_answers():
    connection = tunnel()
    connection.sendall(get(b"/write/early" + say("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), b"Content-Length: 100000000\r\n", b"POST"))
    answer = Response(connection)
    check(answer.status == 413 and answer.has(b"Connection: close"), "the origin's answer", answer.head)
    try:
        connection.sendall(b"x" * 1000000)
    except OSError:
        pass


def narrow():
    """A tunnel whose reader has room for little, so that every write to it is cut short."""
    host, port = os.environ["EGRESS_PROXY"].rsplit(":", 1)
    connection = socket.socket()
    connection.settimeout(20)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((host, int(port)))
    connection.sendall(b"CONNECT %s:443 HTTP/1.1\r\nHost: %s\r\n\r\n" % (HOST.encode(), HOST.encode()))
    receive_until(connection, b"\r\n\r\n")
    return ssl.create_default_context(cafile=os.environ["EGRESS_CA"]).wrap_socket(connection, server_hostname=HOST)


@case
def bodies_in_fits_and_starts():
    size = 6 * 1000 * 1000
    for _ in range(3):
        connection = narrow()
        connection.sendall(get(b"/write/narrow" + say(OK), b"Transfer-Encoding: chunked\r\n", b"PUT"))
        piece = b"x" * 65524
        for at in range(0, size, len(piece)):
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        check(Response(connection).body == b"ok", "up")
        check(len(ask(connection, get(b"/last")).body) > size, "and down")


@case
def large_bodies_both_ways():
    size = 50 * 1000 * 1000
    connection = tunnel()
    connection.sendall(get(b"/write" + say(OK), b"Content-Length: %d\r\n" % size, b"PUT"))
    piece = b"0123456789abcdef" * 4096
    for at in range(0, size, len(piece)):
        connection.sendall(piece[: min(len(piece), size - at)])
    check(Response(connection).body == b"ok", "up")
    answer = ask(connection, get(b"/last"))
    check(len(answer.body.split(b"\r\n\r\n", 1)[1]) == size, "and down")


# --- origins ---

def origin_says(raw, token, how=""):
    answer = ask(tunnel(), get(say(raw, how)))
    refused(answer, 502, token)


@case
def origins_that_speak_something_else():
    for raw in ("SSH-2.0-x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
                "HTTP/1.1 200 OK\r\nA: b\n\r\n",
                "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 20 OK\r\n\r\n"):
        origin_says(raw, b"origin-http")


@case
def heads_without_end():
    refused(ask(tunnel(), get(b"/endless")), 502, b"origin-http")
    connection = connect()
    connection.sendall(b"GET http://said.example/ HTTP/1.1\r\n")
    try:
        for _ in range(100):
            connection.sendall(b"A: b\r\n" * 1000)
    except OSError:
        pass
    seen = receive_all(connection)
    check(seen.startswith(b"HTTP/1.1 431 "), "of a request", seen)


@case
def origins_that_close():
    origin_says("", b"origin-closed", "/close")
    origin_says("HTTP/1.1 200 OK\r\nCont", b"origin-closed", "/close")


@case
def stale_connections_are_tried_again_once():
    connection = tunnel()
    for _ in range(3):
        check(ask(connection, get(say(OK, "/once"))).body == b"ok", "an answer")
    request = get(b"/write/once" + say(OK), b"Content-Length: 1\r\n", b"POST") + b"x"
    refused(ask(connection, request), 502, b"origin-closed")


@case
def answers_to_nothing():
    before = count()
    connection = tunnel()
    answer = ask(connection, get(say(OK + OK)))
    check(answer.body == b"ok" and answer.rest == b"", "one answer", answer.rest)
    check(ask(connection, get(say("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnew"))).body == b"new", "and the next is the right one")
    check(count() > before, "on another connection")


@case
def switching_unasked():
    origin_says("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", b"origin-http")


@case
def websocket_by_rule():
    fields = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 13\r\n"
    refused(ask(tunnel(), get(say(OK), fields)), 403, b"upgrade")
    connection = tunnel()
    said = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: b\r\n\r\nfirst"
    path = b"/socket/echo/" + said.encode().hex().encode()
    connection.sendall(get(path, fields))
    seen = receive_until(connection, b"first")
    check(seen.startswith(b"HTTP/1.1 101 ") and b"\r\nUpgrade: websocket\r\n" in seen, "101", seen)
    for message in b"\x81\x03abc", b"x" * 100000:
        connection.sendall(message)
        seen = b""
        while len(seen) < len(message):
            seen += connection.recv(65536)
        check(seen == message, "both ways", seen)
    connection.close()
    connection = tunnel()
    answer = ask(connection, get(b"/socket" + say(OK), fields))
    check(answer.body == b"ok", "an origin may decline", answer.head)
    check(ask(connection, get(say(OK))).body == b"ok", "and HTTP goes on")


@case
def events_come_at_once():
    connection = tunnel()
    said = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    connection.sendall(get(b"/echo/" + (said + "data: 1\n\n").encode().hex().encode()))
    connection.settimeout(10)
    seen = receive_until(connection, b"data: 1\n\n")
    check(b"data: 1\n\n" in seen, "the first event, before the end", seen)


@case
def names_that_are_none():
    answer = ask(connect(), b"GET http://absent.invalid/ HTTP/1.1\r\nHost: absent.invalid\r\n\r\n")
    refused(answer, 502, b"unresolved")


def get_from(host):
    return ask(connect(), b"GET http://%s%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, say(OK), host))


@case
def names_by_dns():
    check(get_from(b"plain.dns.example").body == b"ok", "an answer")
    for host in b"absent.dns.example", b"broken.dns.example", b"silent.dns.example":
        refused(get_from(host), 502, b"unresolved")


@case
def names_that_lead_inside_among_others():
    for host in b"mixed", b"later", b"mapped", b"metadata":
        refused(get_from(host + b".dns.example"), 502, b"address")


@case
def names_that_change_their_mind():
    check(get_from(b"rebinds.dns.example").body == b"ok", "the address that was judged")
    # The pool has a connection to it; another port has none.
    refused(ask(connect(), b"GET http://rebinds.dns.example:81/ HTTP/1.1\r\nHost: rebinds.dns.example:81\r\n\r\n"), 502, b"address")


@case
def names_with_too_many_addresses():
    refused(get_from(b"many.dns.example"), 502, b"unresolved")


@case
def ports_that_are_closed():
    answer = ask(connect(), b"GET http://said.example:81/ HTTP/1.1\r\nHost: said.example:81\r\n\r\n")
    refused(answer, 502, b"unreachable")


@case
def certificates_for_others():
    refused(ask(tunnel("wrong.example:443", "wrong.example"), b"GET / HTTP/1.1\r\nHost: wrong.example\r\n\r\n"), 502, b"certificate")


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        return 0
    try:
        cases[sys.argv[1]]()
    except (Failed, OSError) as problem:
        print("%s: %s" % (type(problem).__name__, problem))
        return 1
    return 0


sys.exit(main())
