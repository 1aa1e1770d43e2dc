#pragma once

#include <curl/curl.h>

// Wrappers for variadic functions, which Swift can't import.

static inline CURLcode cu_set_number(CURL *curl, CURLoption option, long number) {
  return curl_easy_setopt(curl, option, number);
}

static inline CURLcode cu_set_size(CURL *curl, CURLoption option, curl_off_t number) {
  return curl_easy_setopt(curl, option, number);
}

static inline CURLcode cu_set_text(CURL *curl, CURLoption option, const char *text) {
  return curl_easy_setopt(curl, option, text);
}

static inline CURLcode cu_set_pointer(CURL *curl, CURLoption option, const void *pointer) {
  return curl_easy_setopt(curl, option, pointer);
}

/// Lets a request end without waiting for a name server that does not answer.
static inline void cu_leave_resolver(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)curl;
#endif
}

typedef size_t (*cu_write)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cu_set_write(CURL *curl, CURLoption option, cu_write body) {
  return curl_easy_setopt(curl, option, body);
}

static inline long cu_status(CURL *curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/// The target of a redirect as an absolute URL, or nil if the response is none.
static inline const char *cu_redirect(CURL *curl) {
  const char *place = NULL;
  curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &place);
  return place;
}
