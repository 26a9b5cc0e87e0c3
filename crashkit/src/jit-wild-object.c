// bridge2 passes a handle number where compiled code expects an object.
// build: dll vm; dll bridge2: vm; exe script2: bridge2
#include "kit.h"
struct object { int kind; int slots[6]; };
USES int vm_call(const struct object *self, int argument);
USES int bridge2_invoke(uintptr_t handle, int argument);
#ifdef PART_vm
API int vm_call(const struct object *self, int argument) {
#ifdef _WIN64
    // push rbp; mov rbp, rsp; mov eax, [rcx + 20]; add eax, edx; pop rbp; ret
    static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x8b, 0x41, 0x14, 0x01, 0xd0, 0x5d, 0xc3 };
#else
    // push ebp; mov ebp, esp; mov ecx, [ebp + 8]; mov eax, [ecx + 20]; add eax, [ebp + 12]; pop ebp; ret
    static const unsigned char code[] = { 0x55, 0x89, 0xe5, 0x8b, 0x4d, 0x08, 0x8b, 0x41, 0x14, 0x03, 0x45, 0x0c, 0x5d, 0xc3 };
#endif
    static void *p;
    if (!p) {
        p = VirtualAlloc(NULL, 0x1000, MEM_COMMIT | MEM_RESERVE, PAGE_EXECUTE_READWRITE);
        memcpy(p, code, sizeof code);
    }
    return ((int (*)(const struct object *, int))p)(self, argument) + argument;
}
#endif
#ifdef PART_bridge2
static struct object objects[4] = { { 1, { 2, 3, 4, 5, 6, 7 } } };
API int bridge2_invoke(uintptr_t handle, int argument) {
    const struct object *o = handle < 4 ? &objects[handle] : (const struct object *)handle;
    int r = vm_call(o, argument);
    return r + 1;
}
#endif
#ifdef PART_script2
int main(void) { return printf("%d\n", bridge2_invoke(0, 2) + bridge2_invoke(UNSEEN(0x4a3c0010), 2)); }
#endif
