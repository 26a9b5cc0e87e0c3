// thumbs gives a block back twice; the checking heap raises STATUS_HEAP_CORRUPTION.
// build: dll safeheap; dll thumbs: safeheap; exe photos: thumbs
#include "kit.h"
USES void *safeheap_get(size_t n);
USES void safeheap_put(void *p);
USES int thumbs_make(int bad);
#ifdef PART_safeheap
struct block { unsigned mark, size; };
API void *safeheap_get(size_t n) {
    struct block *b = malloc(sizeof *b + n);
    b->mark = 0xA110C8ED;
    b->size = (unsigned)n;
    return b + 1;
}
static KEEP void corrupt(struct block *b) {
    const void *p = b;
    RaiseException(0xC0000374, EXCEPTION_NONCONTINUABLE, 1, (ULONG_PTR *)&p);
}
API void safeheap_put(void *p) {
    struct block *b = (struct block *)p - 1;
    if (b->mark != 0xA110C8ED) corrupt(b);
    b->mark = 0xDEADBEEF;
}
#endif
#ifdef PART_thumbs
API int thumbs_make(int bad) {
    char *t = safeheap_get(100);
    memset(t, 1, 100);
    int n = t[5];
    safeheap_put(t);
    if (bad) safeheap_put(t);
    return n;
}
#endif
#ifdef PART_photos
int main(void) { return printf("%d\n", thumbs_make(0) + thumbs_make(UNSEEN(1))); }
#endif
