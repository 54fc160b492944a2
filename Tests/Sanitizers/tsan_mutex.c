/* Shows the slow paths of Swift's Mutex to the thread sanitizer.
 *
 * On Linux a contended Mutex is locked and unlocked in libswiftSynchronization, which is compiled without the sanitizer. It
 * then misses the order that the lock establishes, and reports accesses that the lock protects. Loaded with LD_PRELOAD, this
 * library takes the place of these functions: it calls them, and tells the sanitizer what was acquired and released. The
 * fast path is compiled into the caller, where the sanitizer sees its atomic operations on the same address. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF) {
    static SWIFT void (*real)(uint32_t, SELF);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, LOCK);
    real(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    static SWIFT bool (*real)(SELF);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, TRY);
    bool locked = real(self);
    if (locked && __tsan_acquire) __tsan_acquire(self);
    return locked;
}

SWIFT void unlock_slow(SELF) {
    static SWIFT void (*real)(SELF);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(self);
    real(self);
}
