/* Heads of swept traces. */
#include "sweep/head.h"

#include <string.h>

#include "base/error.h"

void
sf_head_put_tool(struct sf_buf *out, struct sf_str line, struct sf_shard *shard)
{
	static const char tool[] = "{\"kind\":\"tool\",\"tool\":\"sf-sweep\"";
	static const char member[] = ",\"shard\":\"";
	const char *at, *end;
	struct sf_error error;
	char text[64];

	at = sf_str_starts(line, tool) ? sf_str_find(line, member) : NULL;
	if (at == NULL) {
		sf_buf_put(out, line.p, line.n);
		return;
	}
	end = at + sizeof member - 1;
	while (*end != '"')
		end++;
	if ((size_t)(end - at) - (sizeof member - 1) < sizeof text) {
		size_t n = (size_t)(end - at) - (sizeof member - 1);

		memcpy(text, at + sizeof member - 1, n);
		text[n] = '\0';
		/* What is no share is none. */
		if (!sf_shard_parse(text, shard, &error))
			*shard = (struct sf_shard){ 1, 1 };
	}
	sf_buf_put(out, line.p, (size_t)(at - line.p));
	end++;
	sf_buf_put(out, end, (size_t)(line.p + line.n - end));
}
