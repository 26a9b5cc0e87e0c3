// The program gives up by itself below its own function for fatal errors.
// build: dll helpers; exe install2: helpers
#include "kit.h"
typedef int (*step)(int);
USES int helpers_retry(step s, int times);
#ifdef PART_helpers
API int helpers_retry(step s, int times) {
    int r = 0;
    for (int i = 0; i < times && !r; i++) r = s(i);
    return r;
}
#endif
#ifdef PART_install2
static KEEP void fatal(const char *what) {
    fprintf(stderr, "fatal: %s\n", what);
    abort();
}
static int step_copy(int i) {
    if (i == 2) fatal("no room on the disk");
    return 0;
}
int main(void) { return printf("%d\n", helpers_retry(step_copy, 5)); }
#endif
