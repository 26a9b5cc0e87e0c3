// bitmap multiplies width and height in 32 bits, reserves too little and writes beyond it.
// build: dll bitmap; exe scanner: bitmap
#include "kit.h"
USES int bitmap_fill(unsigned width, unsigned height);
#ifdef PART_bitmap
API int bitmap_fill(unsigned width, unsigned height) {
    unsigned size = width * height * 4;
    unsigned *p = VirtualAlloc(NULL, size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < 4; x++) p[(size_t)y * width + x] = y;
    return (int)p[0];
}
#endif
#ifdef PART_scanner
int main(void) { return printf("%d\n", bitmap_fill(64, 64) + bitmap_fill(UNSEEN(32768u), 32769u)); }
#endif
