// scriptx jumps back into a function that has returned.
// build: dll scriptx; exe macro: scriptx
#include "kit.h"
USES int scriptx_run(int n);
#ifdef PART_scriptx
static void *point[5];
static KEEP int mark(void) { return __builtin_setjmp(point) ? 1 : 0; }
static KEEP int fill(int n) {
    volatile uintptr_t words[64];
    for (int i = 0; i < 64; i++) words[i] = 0x10 + i + n;
    return (int)words[n & 63];
}
API int scriptx_run(int n) {
    int r = mark() + fill(n);
    if (n > 1) __builtin_longjmp(point, 1);
    return r;
}
#endif
#ifdef PART_macro
int main(void) { return printf("%d\n", scriptx_run(1) + scriptx_run(UNSEEN(2))); }
#endif
