#include "kernels.h"

const selene_kernels *const *selene_kernels_available(void) {
#if defined(__x86_64__)
    static const selene_kernels *const all[] = {
        &selene_kernels_avx512, &selene_kernels_avx2, &selene_kernels_generic, NULL};
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vpopcntdq"))
        return all;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt"))
        return all + 1;
    return all + 2;
#elif defined(__aarch64__)
    static const selene_kernels *const all[] = {&selene_kernels_neon, &selene_kernels_generic, NULL};
    return all;
#else
    static const selene_kernels *const all[] = {&selene_kernels_generic, NULL};
    return all;
#endif
}
