#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# names.py ADDRESS SAID
#
# A DNS server for the tests, by UDP: names below dns.example lead to SAID, and some
# elsewhere besides; all below site.example do. rebinds.dns.example leads to SAID once, and to 10.0.0.9 from then on;
# silent.dns.example gets no answer at all.

import ipaddress
import socket
import struct
import sys

A, AAAA = 1, 28
NXDOMAIN, SERVFAIL = 3, 2
asked = {}


def answers(name, kind, said):
    if name == "mixed.dns.example":
        return [said, "10.0.0.9"] if kind == A else []
    if name == "later.dns.example":
        return [said] if kind == A else ["fd00::9"]
    if name == "mapped.dns.example":
        return [] if kind == A else ["::ffff:192.52.193.3"]
    if name == "metadata.dns.example":
        return ["169.254.169.254"] if kind == A else []
    if name == "rebinds.dns.example":
        if kind != A:
            return []
        asked[name] = asked.get(name, 0) + 1
        return [said] if asked[name] == 1 else ["10.0.0.9"]
    if name == "many.dns.example":
        return ["192.52.193.%d" % (i + 10) for i in range(40)] if kind == A else []
    if name == "plain.dns.example" or name.endswith(".site.example"):
        return [said] if kind == A else []
    return None


def reply(query, said):
    end = 12
    labels = []
    while query[end]:
        labels.append(query[end + 1 : end + 1 + query[end]].decode().lower())
        end += query[end] + 1
    kind = struct.unpack("!H", query[end + 1 : end + 3])[0]
    question = query[12 : end + 5]
    name = ".".join(labels)
    if name == "silent.dns.example":
        return None
    code, records = 0, answers(name, kind, said)
    if name == "broken.dns.example":
        code, records = SERVFAIL, []
    elif records is None:
        code, records = NXDOMAIN, []
    body = b""
    for text in records:
        packed = ipaddress.ip_address(text).packed
        body += struct.pack("!HHHIH", 0xC00C, A if len(packed) == 4 else AAAA, 1, 0, len(packed)) + packed
    return query[:2] + struct.pack("!HHHHH", 0x8580 | code, 1, len(records), 0, 0) + question + body


def main():
    address, said = sys.argv[1:]
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    while True:
        query, sender = server.recvfrom(2048)
        answer = reply(query, said)
        if answer:
            server.sendto(answer, sender)


main()
