// machine calls whatever lies behind its table of operations for an operation code out of the file.
// build: dll machine; exe runner: machine
#include "kit.h"
USES int machine_run(const unsigned char *code, int n);
#ifdef PART_machine
static int add(int a) { return a + 1; }
static int twice(int a) { return a * 2; }
static int negate(int a) { return -a; }
static struct { int (*ops[3])(int); uintptr_t limits[9]; } m = {
    { add, twice, negate }, { 0x0badf00d, 0x00c0ffee, 0x1234567, 0x7654321, 0x2222221, 0x3333331, 0x1111113, 0x5555551, 0x6666661 },
};
API int machine_run(const unsigned char *code, int n) {
    int a = 1;
    for (int i = 0; i < n; i++) a = m.ops[code[i]](a) ^ i;
    return a;
}
#endif
#ifdef PART_runner
int main(void) {
    unsigned char code[] = { 0, 1, 2, 1, 5, 0 };
    return printf("%d\n", machine_run(code, sizeof code));
}
#endif
