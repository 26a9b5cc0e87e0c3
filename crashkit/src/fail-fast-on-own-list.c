// timerq checks its list before it unlinks an entry and finds that it is broken: it unlinks the same entry twice.
// build: dll timerq; exe alarm: timerq
#include "kit.h"
struct entry { struct entry *next, *previous; int due; };
USES int timerq_expire(int now);
#ifdef PART_timerq
static struct entry head = { &head, &head, 0 }, entries[4];
static KEEP void unlink_entry(struct entry *e) {
    if (e->next->previous != e || e->previous->next != e) FAIL_FAST(3);
    e->next->previous = e->previous;
    e->previous->next = e->next;
}
API int timerq_expire(int now) {
    int n = 0;
    for (int i = 0; i < 4; i++) {
        struct entry *e = &entries[i];
        e->due = i * 10;
        e->next = &head;
        e->previous = head.previous;
        head.previous->next = e;
        head.previous = e;
    }
    for (int i = 0; i < 4; i++)
        if (entries[i].due <= now) { unlink_entry(&entries[i]); n++; }
    if (n > 3) unlink_entry(&entries[1]);
    return n;
}
#endif
#ifdef PART_alarm
int main(void) { return printf("%d\n", timerq_expire(UNSEEN(30))); }
#endif
