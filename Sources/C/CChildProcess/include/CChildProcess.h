// Starting a confined process: system calls that Swift's modules of the C libraries lack.
#pragma once
#include <sys/types.h>

// Makes a pipe whose ends no other program inherits; ends[0] reads. Returns 0 or an error number.
int child_pipe(int ends[2]);

// Starts a program without a shell, in a process group of its own, with all signals at their defaults. It has four
// descriptors: input as 0, output as 1, the null device as 2, file as 3. These must be greater than 3. Returns 0 or an error
// number.
int child_spawn(pid_t *pid, const char *path, char *const arguments[], char *const environment[], int input, int output,
                int file);

// Keeps this process from gaining privileges and others from reading its memory. Does something only on Linux.
void child_confine(void);

// The exit code of a process that stopped while it had much of the memory that it may have.
enum { CHILD_EXHAUSTED = 99 };

// From now on a crash of this process with more than `bytes` of data ends it with CHILD_EXHAUSTED instead of a signal. Does
// something only on Linux.
void child_report_exhaustion(unsigned long bytes);
