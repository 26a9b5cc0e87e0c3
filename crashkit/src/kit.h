// What all programs share. A source file holds all modules of its program; each is compiled with PART_<module> defined.

#ifndef KIT_H
#define KIT_H

#include <windows.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define API extern "C" __declspec(dllexport)
#define USES extern "C"
#else
#define API __declspec(dllexport)
#define USES extern
#endif
#define KEEP __attribute__((noinline))

// A value that the compiler must not know.
#define UNSEEN(x) ({ __typeof__((x) + 0) kit_x = (x); __asm__ volatile("" : "+r"(kit_x)); kit_x; })

// What Visual C++ makes of __fastfail.
#define FAIL_FAST(code) ({ __asm__ volatile("int $0x29" : : "c"(code)); __builtin_unreachable(); })

#endif
