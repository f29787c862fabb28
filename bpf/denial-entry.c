/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bpf/denial-entry.h"

#include <errno.h>
#include <linux/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "bpf/denial-message.h"
#include "bpf/denial-rules.h"

/* include/linux/ptrace.h of the kernel: the bit by which an access is more than reading. */
#define PTRACE_MODE_ATTACH 0x02

/* A field or a part of one. */
#define ESCAPED_SIZE(length) (4 * (length) + 1)

struct names {
    char comm[ESCAPED_SIZE(DENIAL_COMM_SIZE)];
    char object[ESCAPED_SIZE(DENIAL_OBJECT_SIZE)];
    char path[ESCAPED_SIZE(DENIAL_PATH_SIZE)]; /* empty: not known */
};

static const char *const kinds[] = {
    [OBJECT_NONE] = "none",         [OBJECT_PATH] = "path",       [OBJECT_IN_DEVICE] = "device",
    [OBJECT_ABSTRACT] = "abstract", [OBJECT_PROCESS] = "process",
};

int denial_parse(const void *data, size_t size, struct denial *ret)
{
    if (size != sizeof(*ret))
        return -EBADMSG;
    /* The ring buffer aligns to 8 bytes, a test may not. */
    memcpy(ret, data, sizeof(*ret));
    if (ret->program >= N_PROGRAMS || ret->object_kind >= sizeof(kinds) / sizeof(kinds[0]) ||
        ret->object_length > sizeof(ret->object))
        return -EBADMSG;
    return 0;
}

size_t denial_escape(const char *bytes, size_t length, char *out)
{
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];

        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\')
            used += (size_t)sprintf(out + used, "\\x%02x", byte);
        else
            out[used++] = (char)byte;
    }
    out[used] = '\0';
    return used;
}

/* A field grows at the end of the text, from begin_field() to end_field(). */
__attribute__((format(printf, 2, 3))) static void append(struct denial_entry *entry,
                                                         const char *format, ...)
{
    size_t room = sizeof(entry->text) - entry->used;
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(entry->text + entry->used, room, format, arguments);
    va_end(arguments);
    /* Full stays full. */
    entry->used =
        length < 0 || (size_t)length >= room ? sizeof(entry->text) : entry->used + (size_t)length;
}

static void begin_field(struct denial_entry *entry, const char *name)
{
    if (entry->n_fields >= DENIAL_ENTRY_FIELDS) {
        entry->used = sizeof(entry->text);
        return;
    }
    entry->fields[entry->n_fields].iov_base = entry->text + entry->used;
    append(entry, "%s=", name);
}

static void end_field(struct denial_entry *entry)
{
    if (entry->used >= sizeof(entry->text))
        return;
    struct iovec *field = &entry->fields[entry->n_fields++];
    field->iov_len = (size_t)(entry->text + entry->used - (char *)field->iov_base);
}

static void add_text(struct denial_entry *entry, const char *name, const char *value)
{
    begin_field(entry, name);
    append(entry, "%s", value);
    end_field(entry);
}

static void add_number(struct denial_entry *entry, const char *name, __u32 value)
{
    begin_field(entry, name);
    append(entry, "%u", value);
    end_field(entry);
}

static void begin_entry(struct denial_entry *entry, const char *id, __u32 sandbox, const char *name)
{
    entry->n_fields = 0;
    entry->used = 0;
    add_text(entry, "MESSAGE_ID", id);
    add_text(entry, "PRIORITY", "5");
    if (sandbox != 0 && name)
        add_text(entry, "SANDBOX", name);
    if (sandbox != 0)
        add_number(entry, "SANDBOX_UID", sandbox);
}

static int end_entry(const struct denial_entry *entry)
{
    return entry->used >= sizeof(entry->text) ? -E2BIG : 0;
}

static void append_sandbox(struct denial_entry *entry, __u32 sandbox, const char *name)
{
    if (sandbox == 0)
        append(entry, "a process of no sandbox");
    else if (name)
        append(entry, "sandbox %s", name);
    else
        append(entry, "the sandbox of uid %u", sandbox);
}

static void append_object(struct denial_entry *entry, const struct denial *denial,
                          const struct names *names)
{
    /* The programs count the NUL that they leave out, and so one byte less. */
    const bool cut = denial->object_length >= DENIAL_OBJECT_SIZE - 1;

    switch (denial->object_kind) {
    case OBJECT_PATH:
        append(entry, ", \"%s\"%s", names->object, cut ? "..." : "");
        break;
    case OBJECT_IN_DEVICE:
        if (names->path[0]) {
            append(entry, ", \"%s\"%s", names->path, cut ? "..." : "");
            break;
        }
        append(entry, ", %s\"%s\" on device %u:%u", names->object[0] == '/' ? "" : "...",
               names->object, denial->device >> 20, denial->device & 0xfffff);
        break;
    case OBJECT_ABSTRACT:
        append(entry, ", abstract \"%s\"", names->object);
        break;
    case OBJECT_PROCESS:
        append(entry, ", \"%s\"[%u]", names->object, denial->object_pid);
        break;
    default:
        break;
    }
}

static const char *socket_type(__u32 type)
{
    switch (type) {
    case SOCK_STREAM:
        return "stream";
    case SOCK_DGRAM:
        return "datagram";
    case SOCK_SEQPACKET:
        return "seqpacket";
    default:
        return "unknown type";
    }
}

/* What a program knows beyond the object's name. */
static void append_detail(struct denial_entry *entry, const struct denial *denial)
{
    switch (denial->program) {
    case PROGRAM_WORLD_WRITE:
    case PROGRAM_GROUPS:
        append(entry, " (of uid %u, mode %04o)", denial->object_uid, denial->detail & 07777);
        break;
    case PROGRAM_SET_ID:
        if (denial->detail != denial->uid)
            append(entry, " (to become uid %u)", denial->detail);
        break;
    case PROGRAM_SOCKETS:
        append(entry, " (of uid %u, %s)", denial->object_uid, socket_type(denial->detail));
        break;
    case PROGRAM_READS:
        append(entry, " (of uid %u, %s)", denial->object_uid,
               denial->detail == 0                   ? "by a core dump"
               : denial->detail & PTRACE_MODE_ATTACH ? "tracing"
                                                     : "reading");
        break;
    case PROGRAM_SELF:
        if (denial->detail == DENIAL_OPEN_MAP)
            append(entry, " (opening one of its maps for writing)");
        else
            append(entry, " (command %u)", denial->detail);
        break;
    case PROGRAM_FAMILIES:
        append(entry, " (family %u)", denial->detail);
        break;
    default:
        break;
    }
}

static void add_message(struct denial_entry *entry, const struct denial *denial,
                        const char *sandbox, const struct names *names)
{
    begin_field(entry, "MESSAGE");
    append(entry, "Denied to ");
    append_sandbox(entry, denial->sandbox, sandbox);
    append(entry, ": %s", denial_rules[denial->program].what);
    append_object(entry, denial, names);
    append_detail(entry, denial);
    append(entry, ", by \"%s\"[%u] of uid %u", names->comm, denial->pid, denial->uid);
    if (denial->dropped > 0)
        append(entry, "; %u before it %s not logged", denial->dropped,
               denial->dropped == 1 ? "was" : "were");
    end_field(entry);
}

static void add_object(struct denial_entry *entry, const struct denial *denial,
                       const struct names *names)
{
    add_text(entry, "DENIED_OBJECT_KIND", kinds[denial->object_kind]);
    if (denial->object_kind != OBJECT_NONE)
        add_text(entry, "DENIED_OBJECT", names->object);
    if (names->path[0])
        add_text(entry, "DENIED_OBJECT_PATH", names->path);
    if (denial->object_kind == OBJECT_PROCESS)
        add_number(entry, "DENIED_OBJECT_PID", denial->object_pid);
    if (denial->program != PROGRAM_SELF && denial->program != PROGRAM_FAMILIES)
        add_number(entry, "DENIED_OBJECT_UID", denial->object_uid);
    if (denial->inode != 0) {
        begin_field(entry, "DENIED_OBJECT_DEVICE");
        append(entry, "%u:%u", denial->device >> 20, denial->device & 0xfffff);
        end_field(entry);
        begin_field(entry, "DENIED_OBJECT_INODE");
        append(entry, "%llu", denial->inode);
        end_field(entry);
    }
}

int denial_entry_make(const struct denial *denial, const struct denial_context *context,
                      struct denial_entry *ret)
{
    const struct denial_rule *rule = &denial_rules[denial->program];
    struct names names = { 0 };

    denial_escape(denial->comm, strnlen(denial->comm, sizeof(denial->comm)), names.comm);
    denial_escape(denial->object, denial->object_length, names.object);
    if (context->path)
        denial_escape(context->path, strnlen(context->path, DENIAL_PATH_SIZE), names.path);

    begin_entry(ret, DENIAL_MESSAGE_ID, denial->sandbox, context->sandbox);
    add_message(ret, denial, context->sandbox, &names);
    add_text(ret, "DENIED_PROGRAM", rule->program);
    add_text(ret, "DENIED_WHAT", rule->what);
    add_text(ret, "DENIED_RULE", rule->allowed);
    begin_field(ret, "DENIED_REALTIME_USEC");
    append(ret, "%llu", context->realtime_usec);
    end_field(ret);
    add_number(ret, "DENIED_UID", denial->uid);
    add_number(ret, "DENIED_PID", denial->pid);
    add_text(ret, "DENIED_COMM", names.comm);
    add_object(ret, denial, &names);
    add_number(ret, "DENIED_DETAIL", denial->detail);
    add_number(ret, "DENIED_DROPPED", denial->dropped);
    return end_entry(ret);
}

int denial_entry_make_rest(__u32 sandbox, const char *name, __u32 count, struct denial_entry *ret)
{
    begin_entry(ret, DENIAL_MESSAGE_ID_REST, sandbox, name);
    begin_field(ret, "MESSAGE");
    append(ret, "%u further denial%s to ", count, count == 1 ? "" : "s");
    append_sandbox(ret, sandbox, name);
    append(ret, " %s not logged", count == 1 ? "was" : "were");
    end_field(ret);
    add_number(ret, "DENIED_DROPPED", count);
    return end_entry(ret);
}
