// feeder clears more of a ring than it has; the ring ends with a guard page.
// build: dll ring; dll feeder: ring; exe recorder: feeder
#include "kit.h"
USES char *ring_make(size_t size);
USES int feeder_clear(size_t size, size_t n);
#ifdef PART_ring
API char *ring_make(size_t size) {
    DWORD old;
    char *p = VirtualAlloc(NULL, size + 0x1000, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    VirtualProtect(p + size, 0x1000, PAGE_READWRITE | PAGE_GUARD, &old);
    return p;
}
#endif
#ifdef PART_feeder
API int feeder_clear(size_t size, size_t n) {
    void *(*volatile fill)(void *, int, size_t) = memset;
    char *p = ring_make(size);
    fill(p, 1, n);
    return p[0];
}
#endif
#ifdef PART_recorder
int main(void) { return printf("%d\n", feeder_clear(0x4000, 0x4000) + feeder_clear(0x4000, UNSEEN(0x4100))); }
#endif
