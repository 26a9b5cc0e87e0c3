// shader runs code that jit made at run time, with a null table of uniforms.
// build: dll jit; dll shader: jit; exe demo: shader
#include "kit.h"
typedef int (*kernel)(const int *uniforms, int n);
USES kernel jit_sum(void);
USES int shader_run(int pass);
#ifdef PART_jit
API kernel jit_sum(void) {
#ifdef _WIN64
    static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x31, 0xc0, 0x03, 0x41, 0x08, 0xff, 0xca, 0x75, 0xf9, 0x5d, 0xc3 };
#else
    static const unsigned char code[] = { 0x55, 0x89, 0xe5, 0x8b, 0x4d, 0x08, 0x8b, 0x55, 0x0c, 0x31, 0xc0, 0x03, 0x41, 0x08, 0x4a, 0x75, 0xfa, 0x5d, 0xc3 };
#endif
    void *p = VirtualAlloc(NULL, 0x1000, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
    memcpy(p, code, sizeof code);
    return (kernel)p;
}
#endif
#ifdef PART_shader
static int uniforms[8] = { 1, 2, 3, 4 };
API int shader_run(int pass) {
    kernel k = jit_sum();
    int n = k(pass == 1 ? uniforms : NULL, 2);
    return n + pass;
}
#endif
#ifdef PART_demo
int main(void) { return printf("%d\n", shader_run(1) + shader_run(UNSEEN(2))); }
#endif
