#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# events.py PATH FIFO: a server at this Unix socket that has three events for whoever asks. The second
# and the third are sent when somebody has written to the FIFO.

import http.server
import os
import socketserver
import sys


class Events(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in ("one", "two", "three"):
            if event != "one":
                with open(sys.argv[2]) as fifo:
                    # To its end, or who writes would be told that nobody reads.
                    fifo.read()
            self.wfile.write(f"data: {event}\n\n".encode())

    def address_string(self):
        return "unix"


os.mkfifo(sys.argv[2])
with socketserver.ThreadingUnixStreamServer(sys.argv[1], Events) as server:
    server.serve_forever()
