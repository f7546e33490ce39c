/* Stands in for a CUDA driver that is there and refuses: cuInit returns $STAND_IN_CUINIT. */
#include <stdlib.h>

int cuInit(unsigned flags) {
  const char* code = getenv("STAND_IN_CUINIT");
  (void)flags;
  return code == NULL ? 100 : atoi(code);
}
