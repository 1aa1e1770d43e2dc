#pragma once

#include <stddef.h>

/// A file of the page that the node serves.
struct page_file {
  /// Its name below `/page/`.
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t count;
};

extern const size_t page_files_count;

/// Returns the file with an index.
struct page_file page_file(size_t index);
