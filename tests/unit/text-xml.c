/* Text in XML and HTML means itself. */
#include "text/xml.h"

#include "check.h"

static void
text_is(const char *text, size_t n, const char *want)
{
	struct sf_buf out = { 0 };

	sf_xml_text(&out, (struct sf_str){ text, n });
	CHECK_FOR(want, out.n == strlen(want));
	CHECK_FOR(want, out.n == 0 || memcmp(out.p, want, out.n) == 0);
	sf_buf_release(&out);
}

#define TEXT_IS(text, want) text_is(text, sizeof(text) - 1, want)

int
main(void)
{
	TEXT_IS("", "");
	TEXT_IS("aten.mm", "aten.mm");
	TEXT_IS("<a href=\"b\" c='d'>&amp;</a>",
	    "&lt;a href=&quot;b&quot; c=&#39;d&#39;&gt;&amp;amp;&lt;/a&gt;");
	TEXT_IS("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f");
	TEXT_IS("\0", "\\x00");
	TEXT_IS("\xff\xed\xa0\x80", "\\xff\\xed\\xa0\\x80"); /* no UTF-8 */
	TEXT_IS("\xef\xbf\xbd", "\xef\xbf\xbd");
	TEXT_IS("\xef\xbf\xbe|\xef\xbf\xbf", "\\ufffe|\\uffff");
	TEXT_IS("\xe2\x80\xae<", "\\u202e&lt;");
	return 0;
}
