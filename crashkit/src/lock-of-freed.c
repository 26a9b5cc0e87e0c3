// filelog frees its state, with the lock in it, and locks it once more. The state's memory is marked with 0xDD then, as debug heaps do.
// build: dll filelog; exe agent: filelog
#include "kit.h"
USES int filelog_write(int close);
#ifdef PART_filelog
struct log { CRITICAL_SECTION lock; int lines; };
static struct log *log_open(void) {
    struct log *l = malloc(sizeof *l);
    InitializeCriticalSection(&l->lock);
    l->lines = 0;
    return l;
}
static void log_close(struct log *l) {
    DeleteCriticalSection(&l->lock);
    memset(l, 0xDD, sizeof *l);
}
API int filelog_write(int close) {
    struct log *l = log_open();
    int n = 0;
    for (int i = 0; i < 2; i++) {
        EnterCriticalSection(&l->lock);
        n = ++l->lines;
        LeaveCriticalSection(&l->lock);
        if (close) log_close(l);
    }
    return n;
}
#endif
#ifdef PART_agent
int main(void) { return printf("%d\n", filelog_write(0) + filelog_write(UNSEEN(1))); }
#endif
