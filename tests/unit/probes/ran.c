/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Says that it ran, which a program that is only executed must not: test-probes-kernel. */
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    return open(TRACE, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0;
}
