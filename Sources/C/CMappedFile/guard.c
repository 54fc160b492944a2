// POSIX hides MAP_ANONYMOUS without this.
#define _DEFAULT_SOURCE 1
#define _DARWIN_C_SOURCE 1
#include "CMappedFile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// The handler may run at any instruction of any thread, so it reads the table without locks and calls only mmap and
// sigaction. A slot is free when `start` is 0; `taken` reserves it while the other fields are set.
enum { slot_count = 1024 };

struct slot {
    _Atomic(uintptr_t) start;
    _Atomic(uintptr_t) end;
    atomic_int damaged;
    atomic_int taken;
};

static struct slot slots[slot_count];
static struct sigaction previous;
static uintptr_t page_bytes;
static int is_installed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Replaces missing pages by zeros. Returns 1 when the address belongs to a registered range.
static int repair(uintptr_t address) {
    for (int i = 0; i < slot_count; i++) {
        uintptr_t start = atomic_load_explicit(&slots[i].start, memory_order_acquire);
        if (start == 0 || address < start) continue;
        uintptr_t end = atomic_load_explicit(&slots[i].end, memory_order_acquire);
        if (address >= end || atomic_load_explicit(&slots[i].start, memory_order_acquire) != start) continue;
        atomic_store_explicit(&slots[i].damaged, 1, memory_order_release);
        uintptr_t first = address & ~(page_bytes - 1);
        void *pages = mmap(
            (void *)first, end - first, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        return pages != MAP_FAILED;
    }
    return 0;
}

static void handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    // A positive code comes from the kernel, for an access; other signals were sent by a process.
    if (info->si_code > 0 && repair((uintptr_t)info->si_addr)) {
        errno = error;
        return;
    }
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler == SIG_DFL) {
        // The access is repeated and ends the process as without this handler. A sent signal must be sent again.
        sigaction(number, &previous, NULL);
        if (info->si_code <= 0) raise(number);
    } else if (previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    }
    errno = error;
}

static void install(void) {
    page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {0};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    is_installed = sigaction(SIGBUS, NULL, &previous) == 0 && sigaction(SIGBUS, &action, NULL) == 0;
}

int selene_mapping_guard(const void *start, size_t length) {
    pthread_once(&once, install);
    if (!is_installed || start == NULL || length == 0) return -1;
    for (int i = 0; i < slot_count; i++) {
        int is_free = 0;
        if (!atomic_compare_exchange_strong(&slots[i].taken, &is_free, 1)) continue;
        atomic_store(&slots[i].damaged, 0);
        atomic_store(&slots[i].end, (uintptr_t)start + length);
        atomic_store_explicit(&slots[i].start, (uintptr_t)start, memory_order_release);
        return i;
    }
    return -1;
}

int selene_mapping_is_damaged(int slot) {
    return slot >= 0 && slot < slot_count && atomic_load_explicit(&slots[slot].damaged, memory_order_acquire);
}

void selene_mapping_release(int slot) {
    if (slot < 0 || slot >= slot_count) return;
    atomic_store(&slots[slot].start, 0);
    atomic_store(&slots[slot].end, 0);
    atomic_store(&slots[slot].taken, 0);
}
