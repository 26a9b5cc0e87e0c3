// The program's own search recurses without end over a maze with a circle.
// build: exe maze
#include "kit.h"
static int next_of[] = { 1, 2, 3, 1 };
static KEEP int depth_of(int room, int goal) {
    volatile char trail[120];
    trail[0] = (char)room;
    if (room == goal) return 0;
    return 1 + depth_of(next_of[room], goal) + (trail[0] & 0);
}
int main(void) { return printf("%d\n", depth_of(0, 3) + depth_of(0, UNSEEN(9))); }
