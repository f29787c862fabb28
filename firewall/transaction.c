/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "firewall/transaction.h"

#include <errno.h>
#include <nftables/libnftables.h>
#include <string.h>

#include "conf/cleanup.h"

static void context_freep(struct nft_ctx **context)
{
    if (*context)
        nft_ctx_free(*context);
}

static struct nft_ctx *context_new(void)
{
    struct nft_ctx *context = nft_ctx_new(NFT_CTX_DEFAULT);

    if (!context)
        return NULL;
    nft_ctx_input_set_flags(context, NFT_CTX_INPUT_NO_DNS);
    if (nft_ctx_buffer_error(context) == 0 && nft_ctx_buffer_output(context) == 0)
        return context;
    nft_ctx_free(context);
    return NULL;
}

int transaction_run(const char *text, char **error)
{
    _cleanup_(context_freep) struct nft_ctx *context = context_new();

    *error = NULL;
    if (!context)
        return -ENOMEM;
    if (nft_run_cmd_from_buffer(context, text) == 0)
        return 0;
    *error = strdup(nft_ctx_get_error_buffer(context));
    return *error ? -EIO : -ENOMEM;
}

int transaction_ask(const char *text, char **answer)
{
    _cleanup_(context_freep) struct nft_ctx *context = context_new();

    if (!context)
        return -ENOMEM;
    nft_ctx_output_set_flags(context, NFT_CTX_OUTPUT_JSON);
    if (nft_run_cmd_from_buffer(context, text) != 0)
        return -EIO;
    *answer = strdup(nft_ctx_get_output_buffer(context));
    return *answer ? 0 : -ENOMEM;
}
