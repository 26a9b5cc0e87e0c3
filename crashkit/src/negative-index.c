// gif asks the palette for a color far below its first one.
// build: dll palette; dll gif: palette; exe paint: gif
#include "kit.h"
USES unsigned palette_color(int index);
USES unsigned gif_pixel(const unsigned char *p, int back);
#ifdef PART_palette
static unsigned colors[256] = { 0xff0000, 0x00ff00 };
API unsigned palette_color(int index) { return colors[index] | 0xff000000; }
#endif
#ifdef PART_gif
API unsigned gif_pixel(const unsigned char *p, int back) {
    int base = p[0] - back * 4096;
    unsigned c = palette_color(base);
    return c + 1;
}
#endif
#ifdef PART_paint
int main(void) {
    unsigned char p[2] = { 1, 0 };
    return printf("%u\n", gif_pixel(p, 0) + gif_pixel(p, UNSEEN(3000)));
}
#endif
