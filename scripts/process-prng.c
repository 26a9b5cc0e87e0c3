/*
 * A stand-in for bcryptprimitives.dll, which Wine 8 lacks and every Windows that Rust supports has.
 * Rust's standard library takes one function of it: random bytes that seed its hash maps.
 * It lies beside crashsift.exe when scripts/windows.sh runs the program under Wine; it is never shipped.
 */
#include <windows.h>

/* Also known as RtlGenRandom, in advapi32. */
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
    const SIZE_T most = 0x10000000; /* at once: a ULONG is narrower than a SIZE_T */

    while (size > 0) {
        ULONG part = (ULONG)(size < most ? size : most);
        if (!SystemFunction036(data, part))
            return FALSE;
        data += part;
        size -= part;
    }
    return TRUE;
}
