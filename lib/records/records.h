/*
 * One verdict on every record: a program names sf_every_record in its tool, and
 * what it does not read itself of a stream is read all the same, by the reader
 * that other programs use, before it is passed on. So no filter lets pass what a
 * later one refuses because of a record or a member alone.
 *
 *	sf_filter_open(&(struct sf_tool){ .records = &sf_every_record, ...
 */
#ifndef SF_RECORDS_RECORDS_H
#define SF_RECORDS_RECORDS_H

#include "base/decl.h"
#include "stream/stream.h"

SF_PUBLIC_BEGIN

extern const struct sf_records sf_every_record;

SF_PUBLIC_END

#endif
