// importx throws as Visual C++ programs do: an exception 0xE06D7363 of type std::runtime_error, which nobody catches.
// build: dll importx; exe drawing: importx
#include "kit.h"
USES int importx_read(const char *text);
#ifdef PART_importx
// The layout of a thrown type (x64: offsets from the module's base; x86: pointers), as documented in public descriptions of the ABI.
struct type { const void *vtable; void *spare; char name[32]; };
struct catchable { int properties, type, displacement[3], size, copy; };
struct catchables { int count, types[1]; };
struct throws { int attributes, unwind, forward, catchables; };
extern IMAGE_DOS_HEADER __ImageBase;
#ifdef _WIN64
#define REF(p) ((int)((char *)(p) - (char *)&__ImageBase))
#else
#define REF(p) ((int)(p))
#endif
static struct type type = { &type, NULL, ".?AVruntime_error@std@@" };
static struct catchable one;
static struct catchables list;
static struct throws info;
struct runtime_error { const void *vtable; const char *what; int owned; };
static KEEP void throw_error(const char *what) {
    struct runtime_error e = { &type, what, 0 };
    one = (struct catchable){ 0, REF(&type), { 0, -1, 0 }, sizeof e, 0 };
    list = (struct catchables){ 1, { REF(&one) } };
    info = (struct throws){ 0, 0, 0, REF(&list) };
    ULONG_PTR args[4] = { 0x19930520, (ULONG_PTR)&e, (ULONG_PTR)&info, (ULONG_PTR)&__ImageBase };
    RaiseException(0xE06D7363, EXCEPTION_NONCONTINUABLE, sizeof(void *) == 8 ? 4 : 3, args);
}
API int importx_read(const char *text) {
    int n = 0;
    for (; *text; text++) {
        if (*text == '?') throw_error("unexpected token");
        n += *text;
    }
    return n;
}
#endif
#ifdef PART_drawing
int main(void) { return printf("%d\n", importx_read("line 1 2") + importx_read("arc ? 4")); }
#endif
