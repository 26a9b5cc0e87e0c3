// dotmatrix raises an error code of its own for its own failed calibration; nobody expects it.
// build: dll dotmatrix; exe kiosk: dotmatrix
#include "kit.h"
USES int dotmatrix_print(int lines);
#ifdef PART_dotmatrix
API int dotmatrix_print(int lines) {
    static int offset;
    offset += lines * 3;
    if (offset > 100) RaiseException(0xE0444D01, EXCEPTION_NONCONTINUABLE, 0, NULL);
    return offset;
}
#endif
#ifdef PART_kiosk
int main(void) { return printf("%d\n", dotmatrix_print(9) + dotmatrix_print(UNSEEN(80))); }
#endif
