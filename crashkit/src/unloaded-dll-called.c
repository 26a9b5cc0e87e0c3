// effects registers a callback and does not withdraw it when it is stopped and unloaded.
// build: dll console; dll effects: console; exe desk2: console
#include "kit.h"
typedef int (*effect)(int);
USES void console_add(effect e);
USES int console_play(int n);
#ifdef PART_console
static effect effects[4];
static int count;
API void console_add(effect e) { effects[count++] = e; }
API int console_play(int n) {
    int sum = 0;
    for (int i = 0; i < count; i++) sum += effects[i](n);
    return sum;
}
#endif
#ifdef PART_effects
static int echo(int n) { return n / 2; }
API int effects_start(void) { console_add(echo); return 1; }
API int effects_stop(void) { return 1; }
#endif
#ifdef PART_desk2
int main(void) {
    HMODULE m = LoadLibraryA("effects.dll");
    if (!m) return 1;
    ((int (*)(void))(void *)GetProcAddress(m, "effects_start"))();
    int n = console_play(8);
    ((int (*)(void))(void *)GetProcAddress(m, "effects_stop"))();
    FreeLibrary(m);
    return printf("%d\n", n + console_play(9));
}
#endif
