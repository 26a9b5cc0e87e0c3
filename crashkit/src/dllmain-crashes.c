// A plug-in reads a setting in its entry point that does not exist yet.
// build: dll tune; exe band
#include "kit.h"
#ifdef PART_tune
struct setting { int volume; };
static struct setting *setting;
static int level;
BOOL WINAPI DllMain(HINSTANCE m, DWORD why, void *p) {
    if (why == DLL_PROCESS_ATTACH) level = UNSEEN(setting)->volume + 1;
    return TRUE;
}
API int tune_level(void) { return level; }
#endif
#ifdef PART_band
int main(void) { return LoadLibraryA("tune.dll") ? puts("loaded") : puts("refused"); }
#endif
