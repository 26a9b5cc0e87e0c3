// renderer loads tessera.dll on the first call, which is missing, and fails as the helper for delayed loading of Visual C++ does.
// build: dll renderer; exe map: renderer
#include "kit.h"
USES int renderer_tiles(int zoom);
#ifdef PART_renderer
struct description { DWORD size; const void *imports; FARPROC *slot; const char *dll; struct { BOOL by_name; const char *name; } function; HMODULE module; FARPROC current; DWORD error; };
static FARPROC slot;
static KEEP FARPROC load(const char *dll, const char *name) {
    struct description d = { sizeof d, NULL, &slot, dll, { TRUE, name }, NULL, NULL, 0 };
    HMODULE m = LoadLibraryA(dll);
    if (!m) {
        d.error = GetLastError();
        const void *p = &d;
        RaiseException(0xC06D007E, 0, 1, (ULONG_PTR *)&p);
    }
    return GetProcAddress(m, name);
}
API int renderer_tiles(int zoom) {
    if (zoom < 3) return zoom;
    if (!slot) slot = load("tessera.dll", "tessera_cut");
    return ((int (*)(int))slot)(zoom) + 1;
}
#endif
#ifdef PART_map
int main(void) { return printf("%d\n", renderer_tiles(1) + renderer_tiles(UNSEEN(4))); }
#endif
