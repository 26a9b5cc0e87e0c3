// provider's table of methods lacks the one that the program's viewer calls.
// build: dll provider; dll preview; exe explorer2: provider preview
#include "kit.h"
struct handler;
struct methods { int (*hold)(struct handler *); int (*drop)(struct handler *); int (*load)(struct handler *, int); int (*paint)(struct handler *, int); };
struct handler { const struct methods *methods; int references, pages; };
USES struct handler *provider_make(int kind);
USES int preview_show(struct handler *h);
#ifdef PART_provider
static int hold(struct handler *h) { return ++h->references; }
static int drop(struct handler *h) { return --h->references; }
static int load(struct handler *h, int n) { return h->pages = n; }
static int paint(struct handler *h, int n) { return h->pages * n; }
static const struct methods full = { hold, drop, load, paint }, partial = { hold, drop, load, NULL };
API struct handler *provider_make(int kind) {
    struct handler *h = malloc(sizeof *h);
    *h = (struct handler){ kind ? &partial : &full, 1, 0 };
    return h;
}
#endif
#ifdef PART_preview
API int preview_show(struct handler *h) {
    h->methods->hold(h);
    int n = h->methods->load(h, 3);
    n += h->methods->paint(h, 96);
    h->methods->drop(h);
    return n;
}
#endif
#ifdef PART_explorer2
int main(void) { return printf("%d\n", preview_show(provider_make(0)) + preview_show(provider_make(UNSEEN(1)))); }
#endif
