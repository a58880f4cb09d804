/* Escapes of XML. */
#include "text/xml.h"

#include "base/visible.h"

static void
put_character(struct sf_buf *out, const char *seen, size_t n)
{
	switch (*seen) {
	case '&':
		SF_BUF_LIT(out, "&amp;");
		return;
	case '<':
		SF_BUF_LIT(out, "&lt;");
		return;
	case '>':
		SF_BUF_LIT(out, "&gt;");
		return;
	case '"':
		SF_BUF_LIT(out, "&quot;");
		return;
	case '\'':
		SF_BUF_LIT(out, "&#39;");
		return;
	default:
		break;
	}
	if (n == 3 && memcmp(seen, "\xef\xbf\xbe", 3) == 0)
		SF_BUF_LIT(out, "\\ufffe");
	else if (n == 3 && memcmp(seen, "\xef\xbf\xbf", 3) == 0)
		SF_BUF_LIT(out, "\\uffff");
	else
		sf_buf_put(out, seen, n);
}

void
sf_xml_text(struct sf_buf *out, struct sf_str text)
{
	char seen[SF_VISIBLE_ROOM];
	size_t at = 0;
	bool hidden;

	while (at < text.n) {
		size_t n = sf_visible(text, &at, seen, &hidden);

		put_character(out, seen, n);
	}
}
