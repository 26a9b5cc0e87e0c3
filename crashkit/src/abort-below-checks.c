// model breaks an invariant of its own; the library for checks ends the program.
// build: dll checks; dll model: checks; exe planner: model
#include "kit.h"
USES void checks_that(int holds, const char *what, int line);
USES int model_solve(int n);
#ifdef PART_checks
API void checks_that(int holds, const char *what, int line) {
    if (holds) return;
    fprintf(stderr, "check failed: %s, line %d\n", what, line);
    abort();
}
#endif
#ifdef PART_model
static int solved;
API int model_solve(int n) {
    int best = 0;
    for (int i = 1; i <= n; i++) best = (best * 7 + i) % 13;
    solved++;
    checks_that(solved <= 2, "solved <= 2", __LINE__);
    return best;
}
#endif
#ifdef PART_planner
int main(void) {
    int sum = 0;
    for (int i = 0; i < 4; i++) sum += model_solve(i + 5);
    return printf("%d\n", sum);
}
#endif
