// blinker's timer uses the caret that blinker has already given up, on a thread of the pool.
// build: dll blinker; exe pad: blinker
#include "kit.h"
USES void blinker_start(void);
#ifdef PART_blinker
static char text[8];
static char *caret = text;
static void CALLBACK blink(void *p, BOOLEAN fired) {
    char *(*volatile copy)(char *, const char *) = strcpy;
    copy(caret, fired ? "|" : p);
}
API void blinker_start(void) {
    HANDLE timer;
    caret = NULL;
    CreateTimerQueueTimer(&timer, NULL, blink, " ", 15, 15, 0);
}
#endif
#ifdef PART_pad
int main(void) {
    blinker_start();
    Sleep(INFINITE);
    return 0;
}
#endif
