#include "CCommit.h"

// The build scripts define the commit of a clone. `git archive` writes that of an archive into this file, which
// has a placeholder otherwise.
static const char archived[] = {
#embed "commit.txt" suffix(, )
    0};

const char *syrinx_commit(void) {
#ifdef SYRINX_COMMIT
  return SYRINX_COMMIT;
#else
  return archived[0] == '$' ? "" : archived;
#endif
}
