// The program blits into a surface that it has not locked, so that its bits are null.
// build: dll blitter; exe arcade: blitter
#include "kit.h"
struct surface { int width, height; unsigned char *bits; };
USES int blitter_copy(struct surface *to, const unsigned char *from, int rows);
#ifdef PART_blitter
API int blitter_copy(struct surface *to, const unsigned char *from, int rows) {
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    for (int y = 0; y < rows; y++) copy(to->bits + y * to->width, from + y * to->width, to->width);
    return rows;
}
#endif
#ifdef PART_arcade
static unsigned char image[64 * 64];
static KEEP int frame(int locked) {
    struct surface s = { 64, 64, NULL };
    unsigned char *bits = malloc(64 * 64);
    if (locked) s.bits = bits;
    int n = blitter_copy(&s, image, 64);
    free(bits);
    return n;
}
int main(void) { return printf("%d\n", frame(1) + frame(UNSEEN(0))); }
#endif
