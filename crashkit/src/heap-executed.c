// macros gives the engine the address of its record instead of the function in it.
// build: dll engine; dll macros: engine; exe shell: macros
#include "kit.h"
typedef int (*command)(int);
struct macro { int key; command run; };
USES int engine_do(const command *list, int n);
USES int macros_play(int n);
#ifdef PART_engine
API int engine_do(const command *list, int n) {
    int r = 0;
    for (int i = 0; i < n; i++) r += list[i](i);
    return r;
}
#endif
#ifdef PART_macros
static int beep(int n) { return n + 7; }
API int macros_play(int n) {
    struct macro *m = malloc(sizeof *m);
    m->key = 0x5a;
    m->run = beep;
    command list[2] = { m->run, n > 1 ? (command)(void *)m : beep };
    int r = engine_do(list, 2);
    free(m);
    return r;
}
#endif
#ifdef PART_shell
int main(void) { return printf("%d\n", macros_play(1) + macros_play(UNSEEN(2))); }
#endif
