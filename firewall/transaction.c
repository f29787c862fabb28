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

int transaction_run(const char *text, char **error)
{
    _cleanup_(context_freep) struct nft_ctx *context = nft_ctx_new(NFT_CTX_DEFAULT);

    *error = NULL;
    if (!context)
        return -ENOMEM;
    nft_ctx_input_set_flags(context, NFT_CTX_INPUT_NO_DNS);
    if (nft_ctx_buffer_error(context) != 0 || nft_ctx_buffer_output(context) != 0)
        return -ENOMEM;
    if (nft_run_cmd_from_buffer(context, text) == 0)
        return 0;
    *error = strdup(nft_ctx_get_error_buffer(context));
    return *error ? -EIO : -ENOMEM;
}
