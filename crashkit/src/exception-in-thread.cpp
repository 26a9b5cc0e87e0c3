// workers throws on a thread of its own, where nobody catches.
// build: dll workers +shared; exe farm: workers +shared
#include "kit.h"
#include <stdexcept>
USES int workers_run(int n);
#ifdef PART_workers
static KEEP int work(int n) {
    if (n > 2) throw std::length_error("more work than hands");
    return n * 3;
}
static DWORD WINAPI thread(void *p) { return work((int)(intptr_t)p); }
API int workers_run(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++) {
        DWORD r = 0;
        HANDLE t = CreateThread(NULL, 0, thread, (void *)(intptr_t)i, 0, NULL);
        WaitForSingleObject(t, INFINITE);
        GetExitCodeThread(t, &r);
        CloseHandle(t);
        sum += r;
    }
    return sum;
}
#endif
#ifdef PART_farm
int main() { return printf("%d\n", workers_run(4)); }
#endif
