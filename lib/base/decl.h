/*
 * How declarations are spelt so that a C program and a C++ program can both
 * read them. Every public header (see lib/public) has its declarations between
 * SF_BEGIN_DECLS and SF_END_DECLS.
 */
#ifndef SF_BASE_DECL_H
#define SF_BASE_DECL_H

#ifdef __cplusplus
#define SF_BEGIN_DECLS extern "C" {
#define SF_END_DECLS   }
#define SF_NORETURN    [[noreturn]]
/* The least size of the array that a parameter points to. */
#define SF_AT_LEAST(n) n
#else
#define SF_BEGIN_DECLS
#define SF_END_DECLS
#define SF_NORETURN    _Noreturn
#define SF_AT_LEAST(n) static n
#endif

#endif
