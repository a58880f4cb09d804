/*
 * What the unit tests are written with: the first condition that does not hold
 * ends the program with its place.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                              \
	do {                                                          \
		if (!(condition)) {                                   \
			fprintf(stderr, "%s:%d: does not hold: %s\n", \
			    __FILE__, __LINE__, #condition);          \
			exit(1);                                      \
		}                                                     \
	} while (0)

/* The same, with what was looked at: CHECK_FOR(text, condition). */
#define CHECK_FOR(what, condition)                                           \
	do {                                                                 \
		if (!(condition)) {                                          \
			fprintf(stderr, "%s:%d: does not hold for %s: %s\n", \
			    __FILE__, __LINE__, what, #condition);           \
			exit(1);                                             \
		}                                                            \
	} while (0)

/* Runs FN(ARG) in a child that is silent; its exit status, -1 on a signal. */
static inline int
check_exit_of(void (*fn)(void *), void *arg)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (freopen("/dev/null", "w", stdout) == NULL ||
		    freopen("/dev/null", "w", stderr) == NULL)
			_exit(99);
		fn(arg);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* xorshift64*: the same numbers on every machine. The seed is not 0. */
static inline unsigned long long
check_random(unsigned long long *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

/* From LEAST to MOST, both included. */
static inline long long
check_within(unsigned long long *state, long long least, long long most)
{
	return least +
	    (long long)(check_random(state) %
		(unsigned long long)(most - least + 1));
}

/* True N times of a hundred. */
static inline int
check_percent(unsigned long long *state, int n)
{
	return check_within(state, 0, 99) < n;
}

#endif
