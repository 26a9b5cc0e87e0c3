// telemetry's handler for exceptions uses a session that does not exist, while it looks at an exception that the program would have handled.
// build: dll telemetry; exe scan: telemetry
#include "kit.h"
USES void telemetry_start(void);
#ifdef PART_telemetry
struct session { int events; char last[16]; };
static struct session *session;
static LONG CALLBACK seen(EXCEPTION_POINTERS *p) {
    if (p->ExceptionRecord->ExceptionCode != 0xE0000007) return EXCEPTION_CONTINUE_SEARCH;
    session->events++;
    return EXCEPTION_CONTINUE_EXECUTION;
}
API void telemetry_start(void) { AddVectoredExceptionHandler(1, seen); }
#endif
#ifdef PART_scan
int main(void) {
    telemetry_start();
    RaiseException(0xE0000007, 0, 0, NULL);
    return puts("done");
}
#endif
