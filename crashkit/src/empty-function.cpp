// The program subscribes with an empty std::function.
// build: dll signals +shared; exe menu: signals +shared
#include "kit.h"
#include <functional>
#include <vector>
using slot = std::function<int(int)>;
USES int signals_emit(const slot &s, int value);
#ifdef PART_signals
API int signals_emit(const slot &s, int value) {
    int r = 0;
    for (int i = 0; i < 3; i++) r += s(value + i);
    return r;
}
#endif
#ifdef PART_menu
static KEEP int choose(int entry) {
    slot s;
    if (entry == 1) s = [](int v) { return v * 2; };
    return signals_emit(s, entry);
}
int main() { return printf("%d\n", choose(1) + choose(2)); }
#endif
