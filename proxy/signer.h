/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The process that holds the key of the authority, and how it is spoken to.
 *
 * Promises: the proxy, which reads what strangers send, never has the key, and who takes it over
 * gets leaves for the leaf key and names of his choice for as long as he is there, and nothing that
 * issues certificates. The signer reads messages of bounded size from one socket and nothing else;
 * it cannot be traced by its user and may use no system call but the few that this takes. */

#include <openssl/evp.h>
#include <openssl/x509.h>
#include <stdint.h>

#include "proxy/host.h"

/* What the program egress-signer finds open. */
#define SIGNER_SOCKET_FD 3 /* SOCK_SEQPACKET */
#define SIGNER_KEY_FD 4
#define SIGNER_CERTIFICATE_FD 5

enum signer_kind {
    SIGNER_SET_KEY = 1, /* data: the public key of all leaves, as SubjectPublicKeyInfo. No answer */
    SIGNER_LEAF,        /* data: a host. Answered */
};

struct signer_request {
    uint32_t kind;
    uint32_t id;
    uint32_t size; /* of data */
    unsigned char data[HOST_SIZE];
};

#define SIGNER_LEAF_SIZE 2048

struct signer_answer {
    uint32_t id;
    int32_t error; /* 0 or a negative errno */
    uint32_t size;
    unsigned char leaf[SIGNER_LEAF_SIZE]; /* DER */
};

/* Answers until the other side closes: 0. A negative errno if it sends what is no request. */
int signer_serve(int socket, EVP_PKEY *ca_key, X509 *ca);

/* Starts the program, with those three. Returns 0; *ret_socket does not block. */
int signer_start(const char *program, int key_fd, int certificate_fd, pid_t *ret_pid,
                 int *ret_socket);
