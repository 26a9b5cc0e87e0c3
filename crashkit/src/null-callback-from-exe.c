// The program asks the scheduler to run a task without a function.
// build: dll scheduler; exe backup: scheduler
#include "kit.h"
typedef int (*task)(void *);
USES int scheduler_run(task what, void *with, int times);
#ifdef PART_scheduler
static int ticks;
API int scheduler_run(task what, void *with, int times) {
    int sum = 0;
    for (int i = 0; i < times; i++) { ticks++; sum += what(with); }
    return sum;
}
#endif
#ifdef PART_backup
struct plan { const char *name; task copy, verify; };
static int copy(void *p) { return ((struct plan *)p)->name[0]; }
static struct plan daily = { "daily", copy, NULL };
static KEEP int run(struct plan *p) {
    int n = scheduler_run(p->copy, p, 2);
    return n + scheduler_run(p->verify, p, 1);
}
int main(void) { return printf("%d\n", run(UNSEEN(&daily))); }
#endif
