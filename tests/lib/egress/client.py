#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# client.py LIBRARY get|post|events URL
#
# Asks with this library and nothing but its defaults and the environment; prints the status and
# the body, or of events each line as it comes. LIBRARY is urllib, requests, httpx, and but for events
# aiohttp or websockets; the last says something and prints what comes back.

import asyncio
import sys
import urllib.error
import urllib.request


def ask_urllib(method, url):
    try:
        with urllib.request.urlopen(url, data=b"data" if method == "post" else None) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def ask_requests(method, url):
    import requests

    with requests.Session() as session:
        answer = session.request(method, url, data=b"data" if method == "post" else None)
        return answer.status_code, answer.text


def ask_httpx(method, url):
    import httpx

    with httpx.Client() as client:
        answer = client.request(method, url, content=b"data" if method == "post" else None)
        return answer.status_code, answer.text


def ask_aiohttp(method, url):
    import aiohttp

    async def ask():
        # Of these libraries the only one that has to be told to look at the environment.
        async with aiohttp.ClientSession(trust_env=True) as session:
            async with session.request(method, url, data=b"data" if method == "post" else None) as answer:
                return answer.status, await answer.text()

    return asyncio.run(ask())


def ask_websockets(_, url):
    import websockets.exceptions
    import websockets.sync.client

    try:
        with websockets.sync.client.connect(url) as connection:
            connection.send("said")
            return 101, connection.recv()
    except websockets.exceptions.InvalidStatus as error:
        return error.response.status_code, error.response.body.decode()


def events_urllib(url):
    with urllib.request.urlopen(url) as answer:
        for line in answer:
            yield line.decode().rstrip("\n")


def events_requests(url):
    import requests

    with requests.get(url, stream=True) as answer:
        # Or it waits for 512 bytes.
        yield from answer.iter_lines(chunk_size=1, decode_unicode=True)


def events_httpx(url):
    import httpx

    with httpx.stream("GET", url) as answer:
        yield from answer.iter_lines()


def main():
    library, method, url = sys.argv[1:]
    if method != "events":
        print(*globals()["ask_" + library](method, url))
        return
    for line in globals()["events_" + library](url):
        print(line, flush=True)


main()
