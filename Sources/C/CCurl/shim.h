// libcurl's setopt and getinfo are variadic, which Swift cannot call: one inline function for each argument type.
#pragma once
#include <curl/curl.h>

#include "poller.h"

typedef size_t (*selene_write_callback)(char *bytes, size_t size, size_t count, void *context);
typedef size_t (*selene_read_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode selene_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_set_write(CURL *easy, CURLoption option, selene_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_set_read(CURL *easy, CURLoption option, selene_read_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_set_socket(CURL *easy, CURLoption option, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode selene_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode selene_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// The easy handle and the result of a finished transfer; NULL for any other message.
static inline CURL *selene_message_done(const CURLMsg *message, CURLcode *result) {
    if (message->msg != CURLMSG_DONE) return NULL;
    *result = message->data.result;
    return message->easy_handle;
}

/// Sets the callbacks by which libcurl requests sockets to watch and the time of its next call.
static inline void selene_multi_watch(
    CURLM *multi, curl_socket_callback socket_callback, curl_multi_timer_callback timer_callback, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_callback);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_callback);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
