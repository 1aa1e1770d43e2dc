#pragma once

#include <sqlite3.h>

// What tells SQLite to copy is a number cast to a function's pointer, which Swift can't import.
static inline int sq_bind_text(sqlite3_stmt *statement, int place, const char *text, int bytes) {
  return sqlite3_bind_text(statement, place, text, bytes, SQLITE_TRANSIENT);
}
