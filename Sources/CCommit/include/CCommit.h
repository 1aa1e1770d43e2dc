// The commit from which the program was built.
#pragma once

// Returns the commit and its date, such as "cfc1492b4a3e 2026-11-29", or an empty string if they are unknown.
const char *syrinx_commit(void);
