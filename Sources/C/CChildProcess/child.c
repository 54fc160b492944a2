#define _GNU_SOURCE
#include "CChildProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

int child_pipe(int ends[2]) {
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
#else
    if (pipe(ends) != 0) return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}

static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int input, int output, int file) {
    int status = posix_spawn_file_actions_adddup2(actions, input, 0);
    if (!status) status = posix_spawn_file_actions_adddup2(actions, output, 1);
    if (!status) status = posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
    if (!status) status = posix_spawn_file_actions_adddup2(actions, file, 3);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef __APPLE__
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#elif defined(__GLIBC__)
    if (!status) status = posix_spawn_file_actions_addclosefrom_np(actions, 4);
#endif
    if (!status) status = posix_spawnattr_setflags(attributes, flags);
    if (!status) status = posix_spawnattr_setpgroup(attributes, 0);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (!status) status = posix_spawnattr_setsigmask(attributes, &none);
    if (!status) status = posix_spawnattr_setsigdefault(attributes, &all);
    return status;
}

int child_spawn(pid_t *pid, const char *path, char *const arguments[], char *const environment[], int input, int output,
                int file) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int status = posix_spawn_file_actions_init(&actions);
    if (status) return status;
    status = posix_spawnattr_init(&attributes);
    if (status) {
        posix_spawn_file_actions_destroy(&actions);
        return status;
    }
    status = prepare(&actions, &attributes, input, output, file);
    if (!status) status = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

void child_confine(void) {
#ifdef __linux__
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

static unsigned long much;
static char stack[16384];

// The sixth number of statm is the data in pages.
static unsigned long data_bytes(void) {
    char text[256];
    int file = open("/proc/self/statm", O_RDONLY);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text);
    unsigned long value = 0;
    int field = 0;
    for (ssize_t place = 0; place < count && field < 6; place++) {
        if (text[place] == ' ') {
            field++;
            if (field < 6) value = 0;
        } else if (text[place] >= '0' && text[place] <= '9') {
            value = value * 10 + (unsigned long)(text[place] - '0');
        }
    }
    return value * 4096;
}

static void crashed(int number) {
    if (data_bytes() > much) _exit(CHILD_EXHAUSTED);
    signal(number, SIG_DFL);
    raise(number);
}

void child_report_exhaustion(unsigned long bytes) {
#ifdef __linux__
    much = bytes;
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_NODEFER};
    int numbers[] = {SIGABRT, SIGBUS, SIGILL, SIGSEGV, SIGTRAP};
    for (int place = 0; place < 5; place++) sigaction(numbers[place], &action, NULL);
#else
    (void)bytes;
    (void)stack;
    (void)crashed;
#endif
}
