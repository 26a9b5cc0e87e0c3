// compat calls a function of Windows that this version does not have.
// build: dll compat; exe update: compat
#include "kit.h"
USES int compat_name_thread(const char *name);
#ifdef PART_compat
API int compat_name_thread(const char *name) {
    HMODULE kernel = GetModuleHandleA("kernel32.dll");
    int (WINAPI *set)(HANDLE, const char *, int) = (void *)GetProcAddress(kernel, "SetThreadDisplayNameEx");
    int r = set(GetCurrentThread(), name, 0);
    return r + 1;
}
#endif
#ifdef PART_update
int main(void) { return printf("%d\n", compat_name_thread("download")); }
#endif
