// layout allocates a box from a heap that fills new memory with 0xCD, as debug heaps do, and does not set its style.
// build: dll debugheap; dll style; dll layout: debugheap style; exe browser2: layout
#include "kit.h"
struct style { int margin, padding; };
struct box { int width; struct style *style; };
USES void *debugheap_get(size_t n);
USES int style_outer(const struct box *b);
USES int layout_box(int width, int styled);
#ifdef PART_debugheap
API void *debugheap_get(size_t n) {
    void *p = malloc(n);
    memset(p, 0xCD, n);
    return p;
}
#endif
#ifdef PART_style
API int style_outer(const struct box *b) { return b->width + 2 * (b->style->margin + b->style->padding); }
#endif
#ifdef PART_layout
static struct style plain = { 1, 2 };
API int layout_box(int width, int styled) {
    struct box *b = debugheap_get(sizeof *b);
    b->width = width;
    if (styled) b->style = &plain;
    int n = style_outer(b);
    free(b);
    return n;
}
#endif
#ifdef PART_browser2
int main(void) { return printf("%d\n", layout_box(100, 1) + layout_box(90, UNSEEN(0))); }
#endif
