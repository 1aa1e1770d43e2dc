#include "CCommit.h"

// The build scripts define the commit of a clone.
#ifndef SYRINX_COMMIT
// `git archive` writes that of an archive into this file, which has a placeholder otherwise.
static const char archived[] = {
#embed "commit.txt" suffix(, )
    0};
#define SYRINX_COMMIT (archived[0] == '$' ? "" : archived)
#endif

const char *syrinx_commit(void) { return SYRINX_COMMIT; }
