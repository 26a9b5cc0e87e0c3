// overlayx patches the entry of present with a jump to a trampoline, which it frees while the patch stays.
// build: dll present; dll overlayx: present; exe race: present overlayx
#include "kit.h"
USES int present_frame(int n);
USES void overlayx_on(void);
USES void overlayx_off(void);
#ifdef PART_present
API KEEP int present_frame(int n) {
    static int frames;
    frames += n;
    for (int i = 0; i < n; i++) frames ^= i * 3;
    return frames;
}
#endif
#ifdef PART_overlayx
static unsigned char *near_page(unsigned char *target) {
    for (unsigned char *p = (unsigned char *)(((uintptr_t)target | 0xffff) + 1 + 0x100000);; p += 0x10000) {
        void *q = VirtualAlloc(p, 0x1000, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
        if (q) return q;
    }
}
static unsigned char *trampoline;
API void overlayx_on(void) {
    DWORD old;
    unsigned char *target = (unsigned char *)(void *)GetProcAddress(GetModuleHandleA("present.dll"), "present_frame");
    trampoline = near_page(target);
    // mov eax, 1; ret
    memcpy(trampoline, "\xb8\x01\x00\x00\x00\xc3", 6);
    VirtualProtect(target, 5, PAGE_EXECUTE_READWRITE, &old);
    int by = (int)(trampoline - (target + 5));
    target[0] = 0xe9;
    memcpy(target + 1, &by, 4);
    VirtualProtect(target, 5, old, &old);
}
API void overlayx_off(void) { VirtualFree(trampoline, 0, MEM_RELEASE); }
#endif
#ifdef PART_race
int main(void) {
    int n = present_frame(1);
    overlayx_on();
    n += present_frame(2);
    overlayx_off();
    return printf("%d\n", n + present_frame(3));
}
#endif
