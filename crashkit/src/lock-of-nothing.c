// The program uses a queue that it did not create; the lock in it is near null.
// build: dll queue; exe relay: queue
#include "kit.h"
struct queue { int count; int items[13]; CRITICAL_SECTION lock; };
USES struct queue *queue_make(int room);
USES int queue_push(struct queue *q, int v);
#ifdef PART_queue
API struct queue *queue_make(int room) {
    if (room > 13) return NULL;
    struct queue *q = calloc(1, sizeof *q);
    InitializeCriticalSection(&q->lock);
    return q;
}
API int queue_push(struct queue *q, int v) {
    EnterCriticalSection(&q->lock);
    q->items[q->count++] = v;
    int n = q->count;
    LeaveCriticalSection(&q->lock);
    return n;
}
#endif
#ifdef PART_relay
static KEEP int relay(int room) {
    struct queue *q = queue_make(room);
    int n = queue_push(q, 1);
    return n + queue_push(q, 2);
}
int main(void) { return printf("%d\n", relay(8) + relay(UNSEEN(64))); }
#endif
