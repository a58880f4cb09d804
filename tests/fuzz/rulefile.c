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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = { trace, sizeof trace - 1 };
	const char *path = file_of((struct bytes){ (const char *)data, size });
	struct run why = RUN(rules, in, DONE | REFUSED, "--why", "-r", path, );
	struct run run;

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
