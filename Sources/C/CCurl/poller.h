// What curl_multi_socket_action needs besides libcurl: waiting for many sockets and for a wake-up from another thread.
// Uses epoll on Linux and kqueue on Apple systems, whose C interfaces Swift cannot import or only clumsily use.
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/event.h>
#include <sys/time.h>
#else
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

typedef struct {
    int queue;
    int wakeup;
} selene_poller;

typedef struct {
    int socket;
    bool readable;
    bool writable;
    bool failed;
} selene_event;

#define SELENE_EVENTS 128

/// Opens the queue. Returns 0 or an errno.
static inline int selene_poller_open(selene_poller *poller) {
#if defined(__APPLE__)
    poller->wakeup = -1;
    poller->queue = kqueue();
    if (poller->queue < 0) return errno;
    struct kevent event;
    EV_SET(&event, 1, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
    return kevent(poller->queue, &event, 1, NULL, 0, NULL) < 0 ? errno : 0;
#else
    poller->queue = epoll_create1(EPOLL_CLOEXEC);
    if (poller->queue < 0) return errno;
    poller->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (poller->wakeup < 0) {
        int code = errno;
        close(poller->queue);
        return code;
    }
    struct epoll_event event = {.events = EPOLLIN, .data.fd = poller->wakeup};
    return epoll_ctl(poller->queue, EPOLL_CTL_ADD, poller->wakeup, &event) < 0 ? errno : 0;
#endif
}

/// Closes the queue.
static inline void selene_poller_close(selene_poller poller) {
    if (poller.wakeup >= 0) close(poller.wakeup);
    close(poller.queue);
}

/// Makes the current or the next wait return. Only this function may be called from any thread.
static inline void selene_poller_wake(selene_poller poller) {
#if defined(__APPLE__)
    struct kevent event;
    EV_SET(&event, 1, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
    kevent(poller.queue, &event, 1, NULL, 0, NULL);
#else
    uint64_t one = 1;
    // A full counter means that a wake-up is pending already.
    ssize_t written = write(poller.wakeup, &one, sizeof one);
    (void)written;
#endif
}

/// Watches a socket for reading, writing or both; neither stops watching it.
static inline void selene_poller_watch(selene_poller poller, int socket, bool read, bool write) {
#if defined(__APPLE__)
    struct kevent event;
    EV_SET(&event, socket, EVFILT_READ, read ? EV_ADD : EV_DELETE, 0, 0, NULL);
    kevent(poller.queue, &event, 1, NULL, 0, NULL);
    EV_SET(&event, socket, EVFILT_WRITE, write ? EV_ADD : EV_DELETE, 0, 0, NULL);
    kevent(poller.queue, &event, 1, NULL, 0, NULL);
#else
    struct epoll_event event = {.events = (read ? EPOLLIN : 0) | (write ? EPOLLOUT : 0), .data.fd = socket};
    if (!read && !write) {
        epoll_ctl(poller.queue, EPOLL_CTL_DEL, socket, &event);
    } else if (epoll_ctl(poller.queue, EPOLL_CTL_MOD, socket, &event) < 0 && errno == ENOENT) {
        epoll_ctl(poller.queue, EPOLL_CTL_ADD, socket, &event);
    }
#endif
}

/// Waits for sockets, a wake-up or the timeout (negative: none). Returns the number of events, at most SELENE_EVENTS.
static inline int selene_poller_wait(selene_poller poller, int milliseconds, selene_event *events) {
#if defined(__APPLE__)
    struct kevent ready[SELENE_EVENTS];
    struct timespec timeout = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    int count = kevent(poller.queue, NULL, 0, ready, SELENE_EVENTS, milliseconds < 0 ? NULL : &timeout);
#else
    struct epoll_event ready[SELENE_EVENTS];
    int count = epoll_wait(poller.queue, ready, SELENE_EVENTS, milliseconds);
#endif
    int sockets = 0;
    for (int index = 0; index < count; index++) {
        selene_event event = {0};
#if defined(__APPLE__)
        if (ready[index].filter == EVFILT_USER) continue;
        event.socket = (int)ready[index].ident;
        event.readable = ready[index].filter == EVFILT_READ;
        event.writable = ready[index].filter == EVFILT_WRITE;
#else
        if (ready[index].data.fd == poller.wakeup) {
            uint64_t value;
            ssize_t taken = read(poller.wakeup, &value, sizeof value);
            (void)taken;
            continue;
        }
        event.socket = ready[index].data.fd;
        event.readable = (ready[index].events & EPOLLIN) != 0;
        event.writable = (ready[index].events & EPOLLOUT) != 0;
        event.failed = (ready[index].events & (EPOLLERR | EPOLLHUP)) != 0;
#endif
        events[sockets++] = event;
    }
    return sockets;
}
