#pragma once

#include <sqlite3.h>

// SQLITE_TRANSIENT is an integer cast to a function pointer, which Swift can't import.
static inline int sq_bind_text(sqlite3_stmt *statement, int place, const char *text, int bytes) {
  return sqlite3_bind_text(statement, place, text, bytes, SQLITE_TRANSIENT);
}

static inline int sq_bind_bytes(
    sqlite3_stmt *statement, int place, const void *bytes, int count) {
  // SQLite binds NULL for a null pointer, even with a length of 0.
  return sqlite3_bind_blob(statement, place, count ? bytes : "", count, SQLITE_TRANSIENT);
}
