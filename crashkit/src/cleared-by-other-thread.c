// reaper's thread takes the table away that the main thread of the program still reads.
// build: dll reaper; dll tables: reaper; exe proxy: reaper tables
#include "kit.h"
struct table { int n; int *values; };
USES void reaper_start(struct table *t);
USES int tables_sum(struct table *t, void (*between)(struct table *));
#ifdef PART_reaper
static HANDLE done;
static DWORD WINAPI reap(void *p) {
    struct table *t = p;
    t->values = NULL;
    SetEvent(done);
    Sleep(INFINITE);
    return t->n;
}
API void reaper_start(struct table *t) {
    done = CreateEventA(NULL, FALSE, FALSE, NULL);
    CreateThread(NULL, 0, reap, t, 0, NULL);
    WaitForSingleObject(done, INFINITE);
}
#endif
#ifdef PART_tables
API int tables_sum(struct table *t, void (*between)(struct table *)) {
    int sum = 0;
    for (int i = 0; i < t->n; i++) {
        sum += t->values[i];
        if (i == 2 && between) between(t);
    }
    return sum;
}
#endif
#ifdef PART_proxy
int main(void) {
    static int values[8] = { 1, 2, 3 };
    static struct table t = { 8, values };
    return printf("%d\n", tables_sum(&t, NULL) + tables_sum(&t, reaper_start));
}
#endif
