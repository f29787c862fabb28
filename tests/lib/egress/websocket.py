#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# websocket.py PATH: a server at this Unix socket that says again what is said to it.

import sys

import websockets.sync.server


def echo(connection):
    for message in connection:
        connection.send(message)


with websockets.sync.server.unix_serve(echo, sys.argv[1]) as server:
    server.serve_forever()
