// The program passes a pointer that it built from a damaged offset; the library gives it to Windows to convert.
// build: dll utf; exe reader: utf
#include "kit.h"
USES int utf_length(const char *text);
#ifdef PART_utf
API int utf_length(const char *text) {
    WCHAR wide[64];
    int n = MultiByteToWideChar(CP_UTF8, 0, text, 8, wide, 64);
    return n + wide[0];
}
#endif
#ifdef PART_reader
static char file[64] = "titles: sea";
static KEEP int title(unsigned offset) { return utf_length(file + offset) + 1; }
int main(void) { return printf("%d\n", title(8) + title(UNSEEN(0x24681357u))); }
#endif
