// settings throws for a key that nobody gave; the program's loop through a C callback catches nothing.
// build: dll settings +shared; dll foreach; exe tray: settings foreach +shared
#include "kit.h"
#include <map>
#include <stdexcept>
#include <string>
USES int settings_get(const char *key);
USES int foreach_name(const char *const *names, int n, int (*f)(const char *));
#ifdef PART_settings
static const std::map<std::string, int> &all() {
    static const std::map<std::string, int> values = { { "left", 10 }, { "top", 20 } };
    return values;
}
API int settings_get(const char *key) {
    auto found = all().find(key);
    if (found == all().end()) throw std::runtime_error(std::string("no setting ") + key);
    return found->second;
}
#endif
#ifdef PART_foreach
API int foreach_name(const char *const *names, int n, int (*f)(const char *)) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += f(names[i]);
    return sum;
}
#endif
#ifdef PART_tray
static int place(const char *name) { return settings_get(name) + 1; }
int main() {
    const char *names[] = { "left", "top", "width" };
    return printf("%d\n", foreach_name(names, 3, place));
}
#endif
