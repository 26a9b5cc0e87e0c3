// hwinfo reads a port of the machine, which a program may not.
// build: dll hwinfo; exe monitor: hwinfo
#include "kit.h"
USES int hwinfo_fan(int which);
#ifdef PART_hwinfo
static KEEP int port(unsigned short at) {
    unsigned char v;
    __asm__ volatile("inb %1, %0" : "=a"(v) : "d"(at));
    return v;
}
API int hwinfo_fan(int which) { return which < 0 ? 0 : port(0x295 + which) * 60; }
#endif
#ifdef PART_monitor
int main(void) { return printf("%d\n", hwinfo_fan(-1) + hwinfo_fan(UNSEEN(1))); }
#endif
