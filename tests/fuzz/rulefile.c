/* A file of rules, used on a trace that has something for each kind of rule. */
#include "stages.h"

#include <string.h>

static const char trace[] =
    "{\"kind\":\"trace\",\"format\":\"simfront-trace/1\",\"model\":\"m\","
    "\"route\":\"export\"}\n"
    "{\"kind\":\"op\",\"i\":0,\"name\":\"aten.mm\",\"inputs\":["
    "{\"tid\":\"x\",\"shape\":[2,3],\"dtype\":\"f32\",\"itemsize\":4},"
    "{\"tid\":\"w\",\"shape\":[3,5],\"dtype\":\"f32\",\"itemsize\":4,"
    "\"param\":true}],\"outputs\":[{\"tid\":\"y\",\"shape\":[2,5],"
    "\"dtype\":\"f32\",\"itemsize\":4}],\"attrs\":{\"n\":3,\"axis\":-1,"
    "\"axes\":[0,1],\"s\":\"word\",\"f\":1.5}}\n"
    "{\"kind\":\"op\",\"i\":1,\"name\":\"a.b\",\"inputs\":["
    "{\"tid\":\"y\",\"shape\":[2,5],\"dtype\":\"f32\",\"itemsize\":4}],"
    "\"outputs\":[{\"tid\":\"z\",\"shape\":[],\"dtype\":\"i64\","
    "\"itemsize\":8}],\"attrs\":{}}\n"
    "{\"kind\":\"end\",\"ops\":2}\n";

/* o, p = my.Op(a, b, , d), ONNX, of attributes k, l, to and t. */
static const char model[] =
    "\010\010B\002\020\021B\006\012\002my\020\001\072\222"
    "\001\012E\012\001a\012\001b\012\000\012\001d\022\001"
    "o\022\001p\042\002Op\052\010\012\001k\030\003\240"
    "\001\002\052\012\012\001l\100\004\100\005\240\001\007\052\011"
    "\012\002to\030\012\240\001\002\052\011\012\001t\042\001"
    "x\240\001\003\072\002my\022\001gZ\027\012\001a"
    "\022\022\012\020\010\001\022\014\012\002\010\002\012\002\010\003"
    "\012\002\010\004Z\027\012\001b\022\022\012\020\010\012\022"
    "\014\012\002\010\005\012\002\010\001\012\002\010\004Z\017\012"
    "\001d\022\012\012\010\010\007\022\004\012\002\010\007b\003"
    "\012\001o";

/* Shapes are made by rules that say what comes out. */
static void
infer(const char *path)
{
	static const struct bytes graph = { model, sizeof model - 1 };
	struct run run =
	    RUN(onnx, graph, DONE | USAGE | REFUSED, "--rules", path, "-", );
	struct run counted;

	if (run.status == 0) {
		counted = stage_count(run.out);
		run_free(&counted);
	}
	run_free(&run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { trace, sizeof trace - 1 };
	const char *path = file_of((struct bytes){ (const char *)data, size });
	struct run why = RUN(rules, in, DONE | REFUSED, "--why", "-r", path, );
	struct run run;

	if (holds((struct bytes){ (const char *)data, size }, "out"))
		infer(path);
	if (size % 8 == 0) {
		run = RUN(rules, in, DONE | REFUSED, "--rules", path, );
		must(run.status == why.status, "saying why refuses nothing");
		run_free(&run);
		run = RUN(rules, in, DONE | REFUSED, "--list", "-r", path, );
		must(why.status == 3 || run.status == 0,
		    "rules that count can be listed");
		run_free(&run);
	}
	if (why.status == 0)
		stage_sinks(why.out, DONE);
	run_free(&why);
	return 0;
}
