#define _GNU_SOURCE
#include "CPosix.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <unistd.h>

int px_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int px_pipe(int32_t ends[2]) { return pipe2(ends, O_CLOEXEC); }

int px_signalfd(const sigset_t *signals) {
  return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int64_t px_clock_error(void) {
  struct timex state = {0};
  return adjtimex(&state) < 0 || (state.status & STA_UNSYNC) ? -1 : state.maxerror;
}

int px_accept(int listener, struct sockaddr *peer, socklen_t *size) {
  return accept4(listener, peer, size, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int px_next_signal(int fd) {
  struct signalfd_siginfo information;
  return read(fd, &information, sizeof information) == sizeof information
             ? (int)information.ssi_signo
             : 0;
}

void px_name_thread(pthread_t thread, const char *name) { pthread_setname_np(thread, name); }

int32_t px_thread_number(void) { return (int32_t)gettid(); }

static volatile sig_atomic_t continues;

static void count_continue(int signal) {
  (void)signal;
  continues++;
}

void px_count_continues(void) {
  // System calls that it interrupts are restarted.
  struct sigaction action = {.sa_handler = count_continue, .sa_flags = SA_RESTART};
  sigaction(SIGCONT, &action, NULL);
}

unsigned px_continues(void) { return (unsigned)continues; }

int32_t px_peer(int socket, char *path, size_t size) {
  struct sockaddr_un address = {0};
  socklen_t length = sizeof address;
  struct ucred peer;
  socklen_t peer_length = sizeof peer;
  path[0] = 0;
  if (getpeername(socket, (struct sockaddr *)&address, &length) != 0 || address.sun_family != AF_UNIX)
    return 0;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &peer_length) != 0) return 0;
  strncat(path, address.sun_path, size - 1 < sizeof address.sun_path ? size - 1 : sizeof address.sun_path);
  return peer.pid;
}

static _Thread_local int quiet_depth;

static ssize_t put_unless_quiet(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  if (quiet_depth > 0) return (ssize_t)count;
  ssize_t done;
  do {
    done = write(STDERR_FILENO, bytes, count);
  } while (done < 0 && errno == EINTR);
  // A stream with an error would drop later messages, too.
  return done < 0 ? (ssize_t)count : done;
}

static void replace_stderr(void) {
  FILE *own = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put_unless_quiet});
  if (!own) return;
  setvbuf(own, NULL, _IONBF, 0);
  // A variable in glibc. The descriptor stays the same, for code that doesn't use the stream.
  stderr = own;
}

void px_begin_quiet(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, replace_stderr);
  quiet_depth++;
}

void px_end_quiet(void) { quiet_depth--; }

static uint32_t interface_of(struct msghdr *header) {
  for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      struct in_pktinfo information;
      memcpy(&information, CMSG_DATA(c), sizeof information);
      return (uint32_t)information.ipi_ifindex;
    }
    if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      struct in6_pktinfo information;
      memcpy(&information, CMSG_DATA(c), sizeof information);
      return information.ipi6_ifindex;
    }
  }
  return 0;
}

int px_receive(
    int socket, char *buffers, size_t each, unsigned most, struct sockaddr_storage *senders,
    uint32_t *lengths, uint32_t *interfaces) {
  // Room for the interface of either version, aligned as the kernel's headers must be.
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
  } controls[PX_MOST_DATAGRAMS];
  struct iovec vectors[PX_MOST_DATAGRAMS];
  struct mmsghdr headers[PX_MOST_DATAGRAMS] = {0};
  if (most > PX_MOST_DATAGRAMS) most = PX_MOST_DATAGRAMS;
  for (unsigned i = 0; i < most; i++) {
    vectors[i] = (struct iovec){buffers + i * each, each};
    headers[i].msg_hdr.msg_iov = &vectors[i];
    headers[i].msg_hdr.msg_iovlen = 1;
    headers[i].msg_hdr.msg_name = &senders[i];
    headers[i].msg_hdr.msg_namelen = sizeof senders[i];
    headers[i].msg_hdr.msg_control = &controls[i];
    headers[i].msg_hdr.msg_controllen = sizeof controls[i];
  }
  int count = recvmmsg(socket, headers, most, MSG_DONTWAIT, NULL);
  for (int i = 0; i < count; i++) {
    lengths[i] = headers[i].msg_len;
    interfaces[i] = interface_of(&headers[i].msg_hdr);
  }
  return count;
}
