#pragma once

#include <avahi-client/client.h>
#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/thread-watch.h>

// Variadic, therefore not importable.
static inline int na_add_service(
    AvahiEntryGroup *group, const char *name, const char *type, uint16_t port,
    const char *text1, const char *text2) {
  return avahi_entry_group_add_service(
      group, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, (AvahiPublishFlags)0, name, type, NULL, NULL,
      port, text1, text2, NULL);
}
