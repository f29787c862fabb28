/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "entry/interface.h"

#define INPUT(name, type, flags, text)                                                             \
    SD_VARLINK_FIELD_COMMENT(text), SD_VARLINK_DEFINE_INPUT(name, type, flags)
#define OUTPUT(name, type, flags, text)                                                            \
    SD_VARLINK_FIELD_COMMENT(text), SD_VARLINK_DEFINE_OUTPUT(name, type, flags)

static SD_VARLINK_DEFINE_METHOD(List, OUTPUT(sandboxes, SD_VARLINK_STRING, SD_VARLINK_ARRAY,
                                             "Which the caller may enter"));

static SD_VARLINK_DEFINE_METHOD_FULL(
    Enter, SD_VARLINK_SUPPORTS_MORE,
    INPUT(sandbox, SD_VARLINK_STRING, SD_VARLINK_NULLABLE,
          "Which; without it, the only one that the caller may enter"),
    INPUT(command, SD_VARLINK_STRING, SD_VARLINK_ARRAY | SD_VARLINK_NULLABLE,
          "What is executed there; without it, the user's shell"),
    INPUT(directory, SD_VARLINK_STRING, SD_VARLINK_NULLABLE,
          "Where, in its home or below; the session looks for it"),
    INPUT(environment, SD_VARLINK_STRING, SD_VARLINK_ARRAY | SD_VARLINK_NULLABLE,
          "NAME=VALUE, of names that allow-env permits, and TERM, COLORTERM, NO_COLOR"),
    INPUT(terminal, SD_VARLINK_INT, SD_VARLINK_NULLABLE,
          "Index of a passed descriptor: the far end of a new pseudoterminal of the caller's"),
    INPUT(streams, SD_VARLINK_INT, SD_VARLINK_ARRAY | SD_VARLINK_NULLABLE,
          "Or indexes of three: pipes of the caller's, /dev/null, or a file of its own to read"),
    INPUT(timeoutUSec, SD_VARLINK_INT, SD_VARLINK_NULLABLE, "After which the session is ended"),
    INPUT(reap, SD_VARLINK_BOOL, SD_VARLINK_NULLABLE,
          "Whether all that it leaves is ended with the command"),
    OUTPUT(session, SD_VARLINK_STRING, SD_VARLINK_NULLABLE,
           "For Signal; with \"more\", in a reply of its own before it is opened"),
    OUTPUT(exitStatus, SD_VARLINK_INT, SD_VARLINK_NULLABLE, "If the command ended by itself"),
    OUTPUT(signal, SD_VARLINK_INT, SD_VARLINK_NULLABLE, "If a signal ended it"),
    OUTPUT(timedOut, SD_VARLINK_BOOL, SD_VARLINK_NULLABLE, "If timeoutUSec was over first"));

static SD_VARLINK_DEFINE_METHOD(Signal, INPUT(session, SD_VARLINK_STRING, 0, "One of the caller's"),
                                INPUT(signal, SD_VARLINK_INT, 0,
                                      "Its number; sent to the first process of the session"));

static SD_VARLINK_DEFINE_METHOD(Reap,
                                INPUT(sandbox, SD_VARLINK_STRING, SD_VARLINK_NULLABLE, "Which"),
                                INPUT(force, SD_VARLINK_BOOL, SD_VARLINK_NULLABLE,
                                      "Whether open sessions are ended, too"));

static SD_VARLINK_DEFINE_METHOD_FULL(
    Log, SD_VARLINK_SUPPORTS_MORE,
    INPUT(sandbox, SD_VARLINK_STRING, SD_VARLINK_NULLABLE, "Whose proxy's"),
    INPUT(offset, SD_VARLINK_INT, SD_VARLINK_NULLABLE, "Where to begin, in bytes"),
    OUTPUT(lines, SD_VARLINK_STRING, SD_VARLINK_ARRAY, "Whole ones, each a JSON object"),
    OUTPUT(offset, SD_VARLINK_INT, 0, "Where to go on"));

static SD_VARLINK_DEFINE_METHOD_FULL(
    Denials, SD_VARLINK_REQUIRES_MORE,
    INPUT(sandbox, SD_VARLINK_STRING, SD_VARLINK_NULLABLE, "Which"),
    OUTPUT(line, SD_VARLINK_STRING, SD_VARLINK_NULLABLE, "A JSON object"),
    OUTPUT(exitStatus, SD_VARLINK_INT, SD_VARLINK_NULLABLE, "In the last reply"));

static SD_VARLINK_DEFINE_METHOD_FULL(
    Check, SD_VARLINK_REQUIRES_MORE,
    INPUT(sandbox, SD_VARLINK_STRING, SD_VARLINK_NULLABLE, "Which"),
    OUTPUT(line, SD_VARLINK_STRING, SD_VARLINK_NULLABLE, "As sandboxctl check prints it"),
    OUTPUT(exitStatus, SD_VARLINK_INT, SD_VARLINK_NULLABLE, "In the last reply"));

static SD_VARLINK_DEFINE_ERROR(NotAllowed);
static SD_VARLINK_DEFINE_ERROR(Ambiguous, SD_VARLINK_DEFINE_FIELD(sandboxes, SD_VARLINK_STRING,
                                                                  SD_VARLINK_ARRAY));
static SD_VARLINK_DEFINE_ERROR(TooMany);
static SD_VARLINK_DEFINE_ERROR(Refused, SD_VARLINK_DEFINE_FIELD(parameter, SD_VARLINK_STRING, 0),
                               SD_VARLINK_DEFINE_FIELD(why, SD_VARLINK_STRING, 0));
static SD_VARLINK_DEFINE_ERROR(NotOpened, SD_VARLINK_DEFINE_FIELD(why, SD_VARLINK_STRING, 0));
static SD_VARLINK_DEFINE_ERROR(NoSuchSession);
static SD_VARLINK_DEFINE_ERROR(Busy);

SD_VARLINK_DEFINE_INTERFACE(
    org_pam_sandbox_Entry, ENTRY_INTERFACE,
    SD_VARLINK_INTERFACE_COMMENT("Sessions of sandboxes, for whom the configuration lets in"),
    SD_VARLINK_SYMBOL_COMMENT("The sandboxes that there are for the caller"), &vl_method_List,
    SD_VARLINK_SYMBOL_COMMENT("Opens a session, which ends at the latest with the connection"),
    &vl_method_Enter, SD_VARLINK_SYMBOL_COMMENT("Sends a signal to a session's command"),
    &vl_method_Signal, SD_VARLINK_SYMBOL_COMMENT("Ends what a sandbox left running"),
    &vl_method_Reap, SD_VARLINK_SYMBOL_COMMENT("What a sandbox asked of the network"),
    &vl_method_Log, SD_VARLINK_SYMBOL_COMMENT("What the kernel denied a sandbox"),
    &vl_method_Denials, SD_VARLINK_SYMBOL_COMMENT("Tries what the sandbox must not be able to do"),
    &vl_method_Check, &vl_error_NotAllowed, &vl_error_Ambiguous, &vl_error_TooMany,
    &vl_error_Refused, &vl_error_NotOpened, &vl_error_NoSuchSession, &vl_error_Busy);
