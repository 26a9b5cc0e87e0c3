// blinker sets a timer whose callback uses the caret that blinker has already given up.
// build: dll blinker -luser32; exe pad: blinker -luser32
#include "kit.h"
USES void blinker_start(void);
#ifdef PART_blinker
static char text[8];
static char *caret = text;
static void CALLBACK blink(HWND w, UINT m, UINT_PTR id, DWORD now) {
    char *(*volatile copy)(char *, const char *) = strcpy;
    copy(caret, now & 1 ? "|" : " ");
}
API void blinker_start(void) {
    SetTimer(NULL, 0, 15, blink);
    caret = NULL;
}
#endif
#ifdef PART_pad
int main(void) {
    MSG m;
    blinker_start();
    while (GetMessageA(&m, NULL, 0, 0) > 0) DispatchMessageA(&m);
    return 0;
}
#endif
