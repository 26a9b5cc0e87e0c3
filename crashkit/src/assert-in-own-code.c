// tiling asserts something about its own state that does not hold.
// build: dll tiling; exe atlas: tiling
#include "kit.h"
#include <assert.h>
USES int tiling_split(int width);
#ifdef PART_tiling
API int tiling_split(int width) {
    int tiles = 0, left = width;
    while (left > 0) { left -= 7; tiles++; }
    assert(left == 0);
    return tiles;
}
#endif
#ifdef PART_atlas
int main(void) { return printf("%d\n", tiling_split(49) + tiling_split(UNSEEN(50))); }
#endif
