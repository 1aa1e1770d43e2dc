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

/// Writes all files to an array with room for them.
void page_files(struct page_file *_Nonnull files);
