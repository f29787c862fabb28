/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The session's side of a probe: what a sandbox user tries, in a process of its own that has no
 * privilege and no knowledge but its arguments. /usr/lib/pam-sandbox/attempt runs it, whoever
 * calls, so that a control is the same attempt run by somebody else.
 *
 * Every attempt ends with one line on standard output, "RESULT: what was tried and how it went",
 * and with the result as its exit status. The line counts: a session that never began also ends
 * with some status. */

/* The exit statuses. ATTEMPT_UNTRIED is never read as protection. */
enum attempt_result {
    ATTEMPT_THROUGH = 0,
    ATTEMPT_REFUSED = 1,
    ATTEMPT_UNTRIED = 2,
};

/* An attempt is over after this time, whatever it waits for. */
#define ATTEMPT_SECONDS 120

/* Between two attempts on one command line; between an attempt's words on a line of a batch, and
 * what is told after its result. */
#define ATTEMPT_SEPARATOR "+"
#define BATCH_SEPARATOR "\037"
#define BATCH_DONE "done"

struct attempt {
    const char *name;
    /* argv[0] is the name, argv[argc] is NULL. */
    enum attempt_result (*run)(int argc, char **argv);
};

/* Ends with name NULL. */
extern const struct attempt attempts[];

const struct attempt *attempt_find(const char *name);

/* Runs the attempt that argv[0] names, for a bounded time; in a process of its own, which gets no
 * standard input, so that it does not spoil the next one. Both print its line. */
enum attempt_result attempt_run(int argc, char **argv);
enum attempt_result attempt_run_forked(int argc, char **argv);

/* "through", "refused", "untried". */
const char *attempt_result_name(enum attempt_result result);

/* Prints the line and returns the result, for "return attempt_say(…)". */
__attribute__((format(printf, 2, 3))) enum attempt_result attempt_say(enum attempt_result result,
                                                                      const char *format, ...);

/* Prints a line that is not a result: something that the caller waits for. */
__attribute__((format(printf, 1, 2))) void attempt_tell(const char *format, ...);

/* Waits until the caller closes standard input. */
void attempt_wait(void);

/* Runs a program with input ("" for none) on its standard input. Returns its exit status, 128 plus
 * the signal that ended it, or a negative errno when it could not be run. What it printed on
 * standard output and error is in output, which is always terminated. */
int attempt_capture(const char *const argv[], const char *input, char *output, unsigned long size);

/* The last line of what a program printed, without its newline; changes text. */
const char *attempt_last_line(char *text);

/* The attempts, one file a family. */
enum attempt_result attempt_hold(int argc, char **argv);
enum attempt_result attempt_env_fixed(int argc, char **argv);
enum attempt_result attempt_env_own(int argc, char **argv);
enum attempt_result attempt_env_name(int argc, char **argv);
enum attempt_result attempt_env_anywhere(int argc, char **argv);
enum attempt_result attempt_environ(int argc, char **argv);
enum attempt_result attempt_see_process(int argc, char **argv);
enum attempt_result attempt_sudo(int argc, char **argv);
enum attempt_result attempt_polkit(int argc, char **argv);
enum attempt_result attempt_pkexec(int argc, char **argv);
enum attempt_result attempt_run0(int argc, char **argv);
enum attempt_result attempt_groups_any(int argc, char **argv);
enum attempt_result attempt_groups_all(int argc, char **argv);
enum attempt_result attempt_linger(int argc, char **argv);
enum attempt_result attempt_cron(int argc, char **argv);
enum attempt_result attempt_at(int argc, char **argv);
enum attempt_result attempt_outlive(int argc, char **argv);
enum attempt_result attempt_tasks(int argc, char **argv);
enum attempt_result attempt_memory(int argc, char **argv);
enum attempt_result attempt_runtime(int argc, char **argv);
enum attempt_result attempt_files(int argc, char **argv);
enum attempt_result attempt_write(int argc, char **argv);
enum attempt_result attempt_write_late(int argc, char **argv);
enum attempt_result attempt_nested(int argc, char **argv);
enum attempt_result attempt_in_service(int argc, char **argv);
enum attempt_result attempt_in_socket(int argc, char **argv);
enum attempt_result attempt_serve(int argc, char **argv);
enum attempt_result attempt_find_file(int argc, char **argv);
enum attempt_result attempt_plant(int argc, char **argv);
enum attempt_result attempt_unplant(int argc, char **argv);
enum attempt_result attempt_handler(int argc, char **argv);
enum attempt_result attempt_enter(int argc, char **argv);
enum attempt_result attempt_open(int argc, char **argv);
enum attempt_result attempt_world_write(int argc, char **argv);
enum attempt_result attempt_world_write_all(int argc, char **argv);
enum attempt_result attempt_world_write_late(int argc, char **argv);
enum attempt_result attempt_world_own(int argc, char **argv);
enum attempt_result attempt_set_id(int argc, char **argv);
enum attempt_result attempt_connect(int argc, char **argv);
enum attempt_result attempt_connect_own(int argc, char **argv);
enum attempt_result attempt_family(int argc, char **argv);
enum attempt_result attempt_family_own(int argc, char **argv);
enum attempt_result attempt_ping(int argc, char **argv);
enum attempt_result attempt_peer_hold(int argc, char **argv);
enum attempt_result attempt_peer_listen(int argc, char **argv);
enum attempt_result attempt_signal(int argc, char **argv);
enum attempt_result attempt_look_into(int argc, char **argv);
enum attempt_result attempt_tamper(int argc, char **argv);
enum attempt_result attempt_make_pin(int argc, char **argv);
enum attempt_result attempt_open_pin(int argc, char **argv);
enum attempt_result attempt_reach(int argc, char **argv);
enum attempt_result attempt_reach_own(int argc, char **argv);
enum attempt_result attempt_ask(int argc, char **argv);
enum attempt_result attempt_fetch(int argc, char **argv);
enum attempt_result attempt_ask_tls(int argc, char **argv);
enum attempt_result attempt_ask_raw(int argc, char **argv);
enum attempt_result attempt_read(int argc, char **argv);
enum attempt_result attempt_client(int argc, char **argv);
enum attempt_result attempt_door(int argc, char **argv);
enum attempt_result attempt_su(int argc, char **argv);
enum attempt_result attempt_group_object(int argc, char **argv);
enum attempt_result attempt_read_own(int argc, char **argv);
enum attempt_result attempt_dump_own(int argc, char **argv);
enum attempt_result attempt_container_build(int argc, char **argv);
enum attempt_result attempt_container_remove(int argc, char **argv);
