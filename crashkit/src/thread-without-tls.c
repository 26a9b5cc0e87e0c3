// tracer keeps its buffer by thread and made one for the first thread only.
// build: dll tracer; exe server2: tracer
#include "kit.h"
USES void tracer_start(void);
USES void tracer_note(int what);
#ifdef PART_tracer
static DWORD slot;
struct ring { int at, notes[32]; };
API void tracer_start(void) {
    slot = TlsAlloc();
    TlsSetValue(slot, calloc(1, sizeof(struct ring)));
}
API void tracer_note(int what) {
    struct ring *r = TlsGetValue(slot);
    r->notes[r->at++ & 31] = what;
}
#endif
#ifdef PART_server2
static DWORD WINAPI serve(void *p) { tracer_note((int)(intptr_t)p); return 0; }
int main(void) {
    tracer_start();
    tracer_note(1);
    HANDLE t = CreateThread(NULL, 0, serve, (void *)2, 0, NULL);
    WaitForSingleObject(t, INFINITE);
    return 0;
}
#endif
