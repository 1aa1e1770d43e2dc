// Linux calls that Swift's Glibc module omits, because it is built without _GNU_SOURCE.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// All file descriptors are close-on-exec and non-blocking.
int px_eventfd(void);
int px_signalfd(const sigset_t *signals);
int px_accept(int listener, struct sockaddr *peer, socklen_t *size);

// A close-on-exec pipe whose ends block: first the read end, then the write end.
int px_pipe(int32_t ends[2]);

// Returns the number of a received signal, or 0.
int px_next_signal(int signalfd);

void px_name_thread(pthread_t thread, const char *name);

// Starts counting how often this process is continued after a stop. The count is 0 before.
void px_count_continues(void);
unsigned px_continues(void);

// Returns the process ID of the peer of a Unix-domain socket, or 0, and writes the path to which the socket
// is connected, which may be empty.
int32_t px_peer(int socket, char *path, size_t size);

// The maximum error of the system clock in microseconds, as reported by the kernel; -1 if it is not
// synchronized.
int64_t px_clock_error(void);

// The kernel thread ID (TID) of the calling thread.
int32_t px_thread_number(void);

// Makes the heap return freed memory to the system. Must be called before threads are started.
void px_return_freed_memory(void);

// Releases whole pages of freed blocks, also between blocks in use, even if all memory is locked.
void px_trim_freed_memory(void);

// Between these calls, which can be nested, output of the calling thread to C's `stderr` is dropped.
void px_begin_quiet(void);
void px_end_quiet(void);

// Receives up to `most` datagrams into `buffers`, with `each` bytes of room per datagram, and returns
// their count. `interfaces` receives the number of the incoming interface, or 0 if the socket doesn't
// report it.
enum { PX_MOST_DATAGRAMS = 32, PX_LOOPBACK_INTERFACE = 1 };
int px_receive(
    int socket, char *buffers, size_t each, unsigned most, struct sockaddr_storage *senders,
    uint32_t *lengths, uint32_t *interfaces);
