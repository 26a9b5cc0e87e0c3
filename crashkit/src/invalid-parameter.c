// journal passes null to a checked function of the C runtime (ucrtbase), which raises its invalid-parameter error.
// build: dll journal; exe diary: journal
#include "kit.h"
USES int journal_copy(const char *from);
#ifdef PART_journal
API int journal_copy(const char *from) {
    static int(__cdecl * copy)(char *, size_t, const char *);
    if (!copy) copy = (void *)GetProcAddress(LoadLibraryA("ucrtbase.dll"), "strcpy_s");
    char line[32];
    int r = copy(line, sizeof line, from);
    return r + line[0];
}
#endif
#ifdef PART_diary
int main(void) {
    char *none = UNSEEN((char *)NULL);
    return printf("%d\n", journal_copy("monday") + journal_copy(none));
}
#endif
