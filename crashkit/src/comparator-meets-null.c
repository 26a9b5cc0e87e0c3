// catalog sorts a list with a hole in it; the comparator is another library's.
// build: dll order; dll catalog: order; exe shop: catalog
#include "kit.h"
USES int __cdecl order_by_name(const void *a, const void *b);
USES int catalog_sort(int removed);
#ifdef PART_order
API int __cdecl order_by_name(const void *a, const void *b) {
    int (*volatile compare)(const char *, const char *) = strcmp;
    int r = compare(*(const char *const *)a, *(const char *const *)b);
    return r * 2;
}
#endif
#ifdef PART_catalog
API int catalog_sort(int removed) {
    const char *names[] = { "pear", "fig", "apple", "plum", "date" };
    if (removed >= 0) names[removed] = NULL;
    qsort(names, 5, sizeof *names, order_by_name);
    return names[0] ? names[0][0] : 0;
}
#endif
#ifdef PART_shop
int main(void) { return printf("%d\n", catalog_sort(-1) + catalog_sort(UNSEEN(2))); }
#endif
