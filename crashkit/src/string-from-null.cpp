// profile makes a string of a variable of the environment that is not set.
// build: dll profile +shared; exe shellx: profile +shared
#include "kit.h"
#include <string>
USES int profile_length(const char *const *names, int n);
#ifdef PART_profile
API int profile_length(const char *const *names, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        std::string value(getenv(names[i]));
        sum += (int)value.size();
    }
    return sum;
}
#endif
#ifdef PART_shellx
int main() {
    const char *names[] = { "PATH", "CRASHKIT_NOT_SET" };
    return printf("%d\n", profile_length(names, 2));
}
#endif
