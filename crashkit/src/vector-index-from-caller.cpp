// The program asks for a pixel far outside of the image that it loaded.
// build: dll raster2; exe lens: raster2
#include "kit.h"
#include <vector>
USES int raster2_load(int w, int h);
USES int raster2_pixel(int x, int y);
#ifdef PART_raster2
static std::vector<int> pixels;
static int width;
API int raster2_load(int w, int h) {
    width = w;
    pixels.assign(w * h, 7);
    return (int)pixels.size();
}
API int raster2_pixel(int x, int y) { return pixels[(size_t)y * width + x]; }
#endif
#ifdef PART_lens
static KEEP int zoom(int x, int y, int by) {
    int sum = 0;
    for (int i = 0; i < 3; i++) { sum += raster2_pixel(x, y); x *= by; y *= by; }
    return sum;
}
int main() {
    int n = raster2_load(64, 64);
    return printf("%d\n", n + zoom(2, 1, UNSEEN(3000)));
}
#endif
