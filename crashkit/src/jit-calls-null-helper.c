// compiler makes code that calls a helper which compiler never filled in.
// build: dll compiler; exe repl: compiler
#include "kit.h"
USES int compiler_eval(int which, int value);
#ifdef PART_compiler
static int helper_add(int v) { return v + 1; }
static int (*helpers[3])(int) = { helper_add, helper_add, NULL };
API int compiler_eval(int which, int value) {
    static unsigned char *at;
    if (!at) at = VirtualAlloc(NULL, 0x1000, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
    unsigned char *p = at;
#ifdef _WIN64
    // push rbp; mov rbp, rsp; sub rsp, 32; mov rax, helper; call rax; leave; ret
    memcpy(p, "\x55\x48\x89\xe5\x48\x83\xec\x20\x48\xb8", 10);
    memcpy(p + 10, &helpers[which], 8);
    memcpy(p + 18, "\xff\xd0\xc9\xc3", 4);
#else
    // push ebp; mov ebp, esp; push [ebp + 8]; mov eax, helper; call eax; leave; ret
    memcpy(p, "\x55\x89\xe5\xff\x75\x08\xb8", 7);
    memcpy(p + 7, &helpers[which], 4);
    memcpy(p + 11, "\xff\xd0\xc9\xc3", 4);
#endif
    return ((int (*)(int))(void *)p)(value) + which;
}
#endif
#ifdef PART_repl
int main(void) { return printf("%d\n", compiler_eval(0, 4) + compiler_eval(UNSEEN(2), 4)); }
#endif
