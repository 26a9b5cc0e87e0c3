// The script host calls a native function through its generic caller with a number in place of a pointer.
// build: dll native; dll ffi; exe pyhost: native ffi
#include "kit.h"
USES int native_area(const int *box, int scale);
USES intptr_t ffi_call(void *f, const intptr_t *arguments, int n);
#ifdef PART_native
API int native_area(const int *box, int scale) { return box[2] * box[3] * scale; }
#endif
#ifdef PART_ffi
API intptr_t ffi_call(void *f, const intptr_t *a, int n) {
    intptr_t r = 0;
    if (n == 1) r = ((intptr_t(*)(intptr_t))f)(a[0]);
    if (n == 2) r = ((intptr_t(*)(intptr_t, intptr_t))f)(a[0], a[1]);
    return r;
}
#endif
#ifdef PART_pyhost
static KEEP int run(int line) {
    static int box[4] = { 0, 0, 4, 5 };
    intptr_t a[2] = { (intptr_t)box, 2 };
    if (line == 2) a[0] = 640;
    return (int)ffi_call((void *)native_area, a, 2);
}
int main(void) { return printf("%d\n", run(1) + run(UNSEEN(2))); }
#endif
