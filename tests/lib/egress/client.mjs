// SPDX-License-Identifier: LGPL-2.1-or-later
//
// client.mjs LIBRARY get|post|events URL: asks with it, and prints status and body, or of events what
// comes when it comes. LIBRARY is fetch, https (the module of Node, or http) or axios.

import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import http from 'node:http';
import https from 'node:https';

const [library, what, url] = process.argv.slice(2);
const method = what === 'post' ? 'post' : 'get';
const data = what === 'post' ? 'data' : undefined;

// Each resolves to the status and the body as a stream.
const libraries = {
    async fetch() {
        const answer = await fetch(url, { method, body: data });
        return [answer.status, answer.body];
    },
    https() {
        return new Promise((resolve, reject) => {
            const module = url.startsWith('https:') ? https : http;
            const request = module.request(url, { method }, (answer) => resolve([answer.statusCode, answer]));
            request.on('error', reject);
            request.end(data);
        });
    },
    async axios() {
        // Where Debian has it; import does not look there.
        const axios = createRequire('/usr/share/nodejs/')('axios');
        const answer = await axios({ url, method, data, validateStatus: null, responseType: 'stream' });
        return [answer.status, answer.data];
    },
};

const [status, body] = await libraries[library]();
if (what === 'events') {
    for await (const piece of body) process.stdout.write(piece);
} else {
    console.log(status, await text(body));
}
