// mods passes an index that does not exist; the game's engine checks its arguments and stops at a breakpoint.
// build: dll gamecore; dll mods: gamecore; exe game: mods
#include "kit.h"
USES int gamecore_spawn(int kind);
USES int mods_wave(int n);
#ifdef PART_gamecore
API int gamecore_spawn(int kind) {
    if (kind < 0 || kind >= 8) __debugbreak();
    return kind * 10;
}
#endif
#ifdef PART_mods
API int mods_wave(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += gamecore_spawn(i * 3);
    return sum;
}
#endif
#ifdef PART_game
int main(void) { return printf("%d\n", mods_wave(2) + mods_wave(UNSEEN(4))); }
#endif
