/* All of libsimfront.a that a filter needs. */
#ifndef SIMFRONT_H
#define SIMFRONT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/error.h"
#include "base/num.h"
#include "base/opt.h"
#include "base/str.h"
#include "base/table.h"
#include "records/records.h"
#include "stream/stream.h"
#include "stream/trace.h"
#include "trace/op.h"

#endif
