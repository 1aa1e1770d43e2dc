#pragma once

#include <stddef.h>

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/simple-watch.h>
#include <avahi-common/thread-watch.h>

// Variadic, so Swift can't import it.
static inline int na_add_osc(
    AvahiEntryGroup *group, int interface, const char *name, uint16_t port, const char *version) {
  return avahi_entry_group_add_service(
      group, interface, AVAHI_PROTO_UNSPEC, (AvahiPublishFlags)0, name, "_osc._udp", NULL, NULL,
      port, "txtvers=1", "types=ifsTF", version, NULL);
}

static inline int na_add_service(
    AvahiEntryGroup *group, int interface, const char *name, const char *type, uint16_t port) {
  return avahi_entry_group_add_service(
      group, interface, AVAHI_PROTO_UNSPEC, (AvahiPublishFlags)0, name, type, NULL, NULL, port,
      NULL);
}
