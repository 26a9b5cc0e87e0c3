// shim keeps pointers in integers of 32 bits, which cuts an address above 4 GiB.
// build: dll decoder; dll shim: decoder; exe tv: shim
#include "kit.h"
struct frame { int width, height; unsigned char *data; };
USES int decoder_show(struct frame *f);
USES int shim_show(int which);
#ifdef PART_decoder
API int decoder_show(struct frame *f) { return f->width * f->height + f->data[0]; }
#endif
#ifdef PART_shim
static unsigned char data[4];
static int handles[2];
API int shim_show(int which) {
    if (!handles[0]) {
        static const uintptr_t at[2] = { 0x31000000, 0x7d231000000 };
        for (int i = 0; i < 2; i++) {
            struct frame *f = VirtualAlloc((void *)at[i], 0x1000, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
            if (!f) return -1;
            *f = (struct frame){ 4, 3, data };
            handles[i] = (int)(uintptr_t)f + (i ? 0x4000 : 0);
        }
    }
    int n = decoder_show((struct frame *)(uintptr_t)(unsigned)handles[which]);
    return n + which;
}
#endif
#ifdef PART_tv
int main(void) { return printf("%d\n", shim_show(0) + shim_show(UNSEEN(1))); }
#endif
