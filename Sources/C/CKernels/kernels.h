#pragma once
#include "CKernels.h"

extern const selene_kernels selene_kernels_generic;
#if defined(__x86_64__)
extern const selene_kernels selene_kernels_avx2;
extern const selene_kernels selene_kernels_avx512;
#elif defined(__aarch64__)
extern const selene_kernels selene_kernels_neon;
#endif

uint64_t selene_read_generic(const void *bytes, size_t count);
