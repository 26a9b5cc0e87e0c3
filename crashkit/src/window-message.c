// The program sends a window of panel a message that must carry a structure, without one.
// build: dll panel -luser32; exe console3: panel -luser32
#include "kit.h"
struct range { int low, high, value; };
USES HWND panel_make(void);
#ifdef PART_panel
static LRESULT CALLBACK procedure(HWND w, UINT m, WPARAM a, LPARAM b) {
    if (m == WM_APP + 1) {
        struct range *r = (struct range *)b;
        r->value = r->low + (int)a;
        return r->value;
    }
    return DefWindowProcA(w, m, a, b);
}
API HWND panel_make(void) {
    WNDCLASSA c = { .lpfnWndProc = procedure, .hInstance = GetModuleHandleA("panel.dll"), .lpszClassName = "panel" };
    RegisterClassA(&c);
    return CreateWindowExA(0, "panel", "panel", 0, 0, 0, 9, 9, HWND_MESSAGE, NULL, c.hInstance, NULL);
}
#endif
#ifdef PART_console3
int main(void) {
    HWND w = panel_make();
    struct range r = { 1, 9, 0 };
    LRESULT n = SendMessageA(w, WM_APP + 1, 3, (LPARAM)&r);
    n += SendMessageA(w, WM_APP + 1, 3, 0);
    return printf("%d\n", (int)n);
}
#endif
