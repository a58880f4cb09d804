/*
 * How declarations are spelt so that a C program and a C++ program can both
 * read them.
 *
 * A public header, one that programs outside of this tree may include, has its
 * declarations between SF_PUBLIC_BEGIN and SF_PUBLIC_END, and includes public
 * headers only. These are installed; a header without the two is private to
 * the library.
 */
#ifndef SF_BASE_DECL_H
#define SF_BASE_DECL_H

#ifdef __cplusplus
#define SF_PUBLIC_BEGIN extern "C" {
#define SF_PUBLIC_END   }
#define SF_NORETURN     [[noreturn]]
/* The least size of the array that a parameter points to. */
#define SF_AT_LEAST(n) n
#else
#define SF_PUBLIC_BEGIN
#define SF_PUBLIC_END
#define SF_NORETURN    _Noreturn
#define SF_AT_LEAST(n) static n
#endif

#endif
