// filelog closes a handle twice; a process under a debugger gets an exception for it.
// build: dll filelog; exe agent: filelog
#include "kit.h"
USES int filelog_rotate(int times);
#ifdef PART_filelog
API int filelog_rotate(int times) {
    HANDLE h = CreateEventA(NULL, TRUE, FALSE, NULL);
    int closed = 0;
    for (int i = 0; i < times; i++) closed += CloseHandle(h);
    return closed;
}
#endif
#ifdef PART_agent
int main(void) { return printf("%d\n", filelog_rotate(1) + filelog_rotate(UNSEEN(2))); }
#endif
