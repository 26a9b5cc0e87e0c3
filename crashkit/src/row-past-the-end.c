// blur reads one row below the last one of an image that ends with its mapping.
// build: dll blur; exe retouch: blur
#include "kit.h"
USES int blur_rows(const unsigned char *p, int width, int height);
#ifdef PART_blur
API int blur_rows(const unsigned char *p, int width, int height) {
    int sum = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) sum += (p[y * width + x] + p[(y + 1) * width + x]) / 2;
    return sum;
}
#endif
#ifdef PART_retouch
int main(void) {
    unsigned char *p = VirtualAlloc(NULL, 0x20000, MEM_RESERVE, PAGE_READWRITE);
    p = VirtualAlloc(p, 0x10000, MEM_COMMIT, PAGE_READWRITE);
    return printf("%d\n", blur_rows(p, 256, 256));
}
#endif
