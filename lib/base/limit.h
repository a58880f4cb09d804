/* What a program may take of the machine, as its user says. */
#ifndef SF_BASE_LIMIT_H
#define SF_BASE_LIMIT_H

/*
 * Holds the process to the bytes of memory of its own that SIMFRONT_MEMORY
 * names, "512MiB"; files that are mapped to be read are not among them. Without
 * it there is no limit. What passes it ends as memory that is exhausted does.
 * Dies with SF_EX_USAGE at a value that is no size.
 */
void sf_limit_memory(void);

#endif
