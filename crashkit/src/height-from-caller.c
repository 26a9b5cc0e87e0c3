// album2 says an image has one row more than it allocated.
// build: dll histogram; dll album2: histogram; exe lab: album2
#include "kit.h"
USES int histogram_count(const unsigned char *p, int width, int height, int *bins);
USES int album2_open(int width, int height, int border);
#ifdef PART_histogram
API int histogram_count(const unsigned char *p, int width, int height, int *bins) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) bins[p[y * width + x]]++;
    return bins[0];
}
#endif
#ifdef PART_album2
API int album2_open(int width, int height, int border) {
    static int bins[256];
    size_t size = (size_t)width * height;
    unsigned char *p = VirtualAlloc(NULL, size + 0x10000, MEM_RESERVE, PAGE_READWRITE);
    p = VirtualAlloc(p, size, MEM_COMMIT, PAGE_READWRITE);
    int n = histogram_count(p, width, height + border, bins);
    return n;
}
#endif
#ifdef PART_lab
int main(void) { return printf("%d\n", album2_open(128, 64, 0) + album2_open(128, 64, UNSEEN(1))); }
#endif
