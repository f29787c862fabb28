/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "proxy/signer.h"

#include <errno.h>
#include <openssl/err.h>
#include <stddef.h>
#include <sys/socket.h>

#include "proxy/issue.h"

static int set_key(const struct signer_request *request, EVP_PKEY **key)
{
    const unsigned char *data = request->data;

    EVP_PKEY_free(*key);
    *key = d2i_PUBKEY(NULL, &data, request->size);
    ERR_clear_error();
    return *key ? 0 : -EBADMSG;
}

static int make_leaf(const struct signer_request *request, EVP_PKEY *ca_key, X509 *ca,
                     EVP_PKEY *leaf_key, struct signer_answer *answer)
{
    struct identity identity;
    X509 *leaf;

    if (!leaf_key)
        return -ENOKEY;
    int r = host_normalise((const char *)request->data, request->size, &identity);
    if (r < 0)
        return r;
    r = issue_leaf(ca_key, ca, leaf_key, &identity, &leaf);
    if (r < 0)
        return r;
    int size = i2d_X509(leaf, NULL);
    unsigned char *at = answer->leaf;
    if (size > 0 && size <= SIGNER_LEAF_SIZE)
        size = i2d_X509(leaf, &at);
    else
        size = -1;
    X509_free(leaf);
    if (size < 0)
        return -EMSGSIZE;
    answer->size = (uint32_t)size;
    return 0;
}

static int serve_one(int socket, const struct signer_request *request, EVP_PKEY *ca_key, X509 *ca,
                     EVP_PKEY **leaf_key)
{
    struct signer_answer answer = { .id = request->id };

    if (request->kind == SIGNER_SET_KEY)
        return set_key(request, leaf_key);
    if (request->kind != SIGNER_LEAF)
        return -EBADMSG;
    answer.error = make_leaf(request, ca_key, ca, *leaf_key, &answer);
    ERR_clear_error();
    size_t size = offsetof(struct signer_answer, leaf) + answer.size;
    return send(socket, &answer, size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int signer_serve(int socket, EVP_PKEY *ca_key, X509 *ca)
{
    EVP_PKEY *leaf_key = NULL;
    struct signer_request request;
    int r;

    do {
        ssize_t n = recv(socket, &request, sizeof(request), 0);
        if (n < 0 && errno == EINTR) {
            r = 0;
            continue;
        }
        if (n == 0) {
            r = 0;
            break;
        }
        if (n < 0)
            r = -errno;
        else if ((size_t)n < offsetof(struct signer_request, data) ||
                 request.size != (size_t)n - offsetof(struct signer_request, data))
            r = -EBADMSG;
        else
            r = serve_one(socket, &request, ca_key, ca, &leaf_key);
    } while (r == 0);
    EVP_PKEY_free(leaf_key);
    return r == -EPIPE ? 0 : r;
}
