// The program's declaration of a callback says cdecl, the library calls it as stdcall: the stack moves with each call.
// build: dll stride; exe walker: stride -fomit-frame-pointer
#include "kit.h"
#ifdef PART_stride
typedef int(__stdcall *step)(int a, int b, int c);
API KEEP int stride_walk(void *f, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) total += ((step)f)(i, n, total);
    return total;
}
#endif
#ifdef PART_walker
USES int stride_walk(void *f, int n);
static int __cdecl advance(int a, int b, int c) { return a + b + (c & 3); }
int main(void) { return printf("%d\n", stride_walk((void *)UNSEEN(advance), 9)); }
#endif
