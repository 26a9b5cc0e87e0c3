// ini copies a section's name over the end of its buffer; the check before its return stops the program (fail-fast 2).
// build: dll ini; exe setupx: ini
#include "kit.h"
USES int ini_section(const char *line);
#ifdef PART_ini
static uintptr_t cookie = 0x2b992ddf;
static KEEP void check(uintptr_t c) { if (c != cookie) FAIL_FAST(2); }
API KEEP int ini_section(const char *line) {
    struct { char name[16]; volatile uintptr_t guard; } frame;
    frame.guard = cookie;
    char *to = UNSEEN(&frame.name[0]);
    while (*line && *line != ']') *to++ = *line++;
    *to = 0;
    int n = (int)strlen(UNSEEN(&frame.name[0]));
    check(frame.guard);
    return n;
}
#endif
#ifdef PART_setupx
int main(void) { return printf("%d\n", ini_section("[files]") + ini_section("[components.selected]")); }
#endif
