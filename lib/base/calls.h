/* System calls that no program needs which reads outside input. */
#ifndef SF_BASE_CALLS_H
#define SF_BASE_CALLS_H

#include <stdbool.h>

/*
 * From here on the process is refused, with EPERM, calls for the network, for
 * other programs and processes (threads are none), for memory and keys of others, and for what
 * changes the system. With CHILDREN it may start processes and end them. False
 * when the system has no such filters or it is not known how to write one.
 */
bool sf_calls_refuse(bool children);

#endif
