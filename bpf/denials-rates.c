/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/denials-rates.h"

#include <errno.h>
#include <stdlib.h>

int denials_rates_add(struct denials_rates *rates, __u32 sandbox)
{
    for (size_t i = 0; i < rates->n; i++)
        if (rates->sandboxes[i] == sandbox)
            return 0;

    __u32 *sandboxes = reallocarray(rates->sandboxes, rates->n + 1, sizeof(*sandboxes));
    if (!sandboxes)
        return -ENOMEM;
    rates->sandboxes = sandboxes;
    sandboxes[rates->n++] = sandbox;
    return 0;
}

enum denials_look denials_rates_judge(const struct denial_rate *seen, __u64 now_nsec)
{
    if (!seen)
        return LOOK_NOTHING;
    if (now_nsec < seen->window_nsec + DENIAL_WINDOW_NSEC)
        return LOOK_AGAIN;
    return seen->dropped > 0 ? LOOK_TELL : LOOK_NOTHING;
}

int denials_rates_look(struct denials_rates *rates, int (*look)(__u32 sandbox, void *userdata),
                       void *userdata)
{
    size_t kept = 0;
    int r = 0;

    for (size_t i = 0; i < rates->n; i++) {
        int again = r < 0 ? 1 : look(rates->sandboxes[i], userdata);

        if (again < 0)
            r = again;
        if (again != 0)
            rates->sandboxes[kept++] = rates->sandboxes[i];
    }
    rates->n = kept;
    return r;
}

void denials_rates_done(struct denials_rates *rates)
{
    free(rates->sandboxes);
    *rates = (struct denials_rates){ 0 };
}
