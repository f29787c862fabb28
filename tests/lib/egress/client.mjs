// SPDX-License-Identifier: LGPL-2.1-or-later
//
// client.mjs LIBRARY get|post URL: asks with it, and prints status and body. LIBRARY is fetch,
// https (the module of Node, or http) or axios.

import { createRequire } from 'node:module';
import http from 'node:http';
import https from 'node:https';

const [library, method, url] = process.argv.slice(2);
const data = method === 'post' ? 'data' : undefined;

const libraries = {
    async fetch() {
        const answer = await fetch(url, { method, body: data });
        return [answer.status, await answer.text()];
    },
    https() {
        return new Promise((resolve, reject) => {
            const module = url.startsWith('https:') ? https : http;
            const request = module.request(url, { method }, async (answer) => {
                let text = '';
                for await (const piece of answer) text += piece;
                resolve([answer.statusCode, text]);
            });
            request.on('error', reject);
            request.end(data);
        });
    },
    async axios() {
        // Where Debian has it; import does not look there.
        const axios = createRequire('/usr/share/nodejs/')('axios');
        const answer = await axios({ url, method, data, validateStatus: null, responseType: 'text' });
        return [answer.status, answer.data];
    },
};

console.log(...await libraries[library]());
