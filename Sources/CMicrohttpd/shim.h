#pragma once

#include <microhttpd.h>
#include <netinet/in.h>

// Wrappers for variadic functions and for constants of closed enumerations, which Swift can't
// import.

/// Starts a server in its own thread. It doesn't listen: connections are passed to it.
static inline struct MHD_Daemon *mh_start(
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback ended, void *context,
    unsigned connections, unsigned connections_per_address, unsigned idle_seconds) {
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_UPGRADE
          | MHD_ALLOW_SUSPEND_RESUME,
      0, NULL, NULL, handle, context, MHD_OPTION_NOTIFY_COMPLETED, ended, context,
      MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
      connections_per_address, MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(32 * 1024), MHD_OPTION_THREAD_STACK_SIZE,
      (size_t)(512 * 1024), MHD_OPTION_STRICT_FOR_CLIENT, (int)1, MHD_OPTION_END);
}

/// Passes a connection to a server. Returns 0 if the server is full, and has closed it.
static inline int mh_add(
    struct MHD_Daemon *server, int socket, const struct sockaddr *peer, socklen_t size) {
  return MHD_add_connection(server, socket, peer, size) == MHD_YES;
}

/// The value of a header, or nil if the request doesn't have it.
static inline const char *mh_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

typedef void (*mh_each)(void *context, const char *name, const char *value);

struct mh_walk {
  mh_each each;
  void *context;
};

static inline enum MHD_Result mh_step(
    void *walk, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind;
  ((struct mh_walk *)walk)->each(((struct mh_walk *)walk)->context, name, value);
  return MHD_YES;
}

/// Calls back with each parameter of the query: its name, and its value or nil.
static inline void mh_each_query(struct MHD_Connection *connection, mh_each each, void *context) {
  struct mh_walk walk = {each, context};
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, mh_step, &walk);
}

/// The address of a connection's peer.
static inline const struct sockaddr *mh_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

/// A response with a copy of these bytes.
static inline struct MHD_Response *mh_bytes(const void *bytes, size_t count) {
  return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

/// Closes an upgraded connection.
static inline void mh_close(struct MHD_UpgradeResponseHandle *upgraded) {
  MHD_upgrade_action(upgraded, MHD_UPGRADE_ACTION_CLOSE);
}
