// loader starts a thread that runs the code of pumpx, with null for its argument, and waits for it.
// build: dll pumpx; dll loader: pumpx; exe stream: loader
#include "kit.h"
struct feed { int rate, left; };
#ifdef PART_pumpx
API DWORD WINAPI pumpx_thread(void *p) {
    struct feed *f = p;
    DWORD n = 0;
    while (f->left-- > 0) n += f->rate;
    return n;
}
#endif
#ifdef PART_loader
USES DWORD WINAPI pumpx_thread(void *p);
static KEEP DWORD run(struct feed *f) {
    DWORD n = 0;
    HANDLE t = CreateThread(NULL, 0, pumpx_thread, f, 0, NULL);
    WaitForSingleObject(t, INFINITE);
    GetExitCodeThread(t, &n);
    CloseHandle(t);
    return n;
}
API int loader_play(const char *url) {
    static struct feed local = { 3, 4 };
    return (int)run(strncmp(url, "file:", 5) ? NULL : &local) + 1;
}
#endif
#ifdef PART_stream
USES int loader_play(const char *url);
int main(void) { return printf("%d\n", loader_play("file:x") + loader_play("http:x")); }
#endif
