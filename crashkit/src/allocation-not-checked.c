// atlas2 does not check a large allocation and clears it.
// build: dll atlas2; exe globe: atlas2
#include "kit.h"
USES int atlas2_reserve(size_t tiles);
#ifdef PART_atlas2
API int atlas2_reserve(size_t tiles) {
    void *(*volatile fill)(void *, int, size_t) = memset;
    size_t size = tiles * 0x10000;
    char *p = malloc(size);
    fill(p, 1, 0x1000);
    return p[0];
}
#endif
#ifdef PART_globe
int main(void) { return printf("%d\n", atlas2_reserve(2) + atlas2_reserve(UNSEEN((size_t)(sizeof(void *) == 8 ? 0x7000000000 : 0x7fff)))); }
#endif
