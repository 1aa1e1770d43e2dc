#include "CPage.h"

static const unsigned char index_html[] = {
#embed "web/index.html"
};

static const struct page_file files[] = {
    {"index.html", index_html, sizeof index_html},
};

const size_t page_files_count = sizeof files / sizeof files[0];

struct page_file page_file(size_t index) { return files[index]; }
