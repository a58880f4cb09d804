/* What SVG is laid out by is as wide as what cairo draws. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "plot/page.h"

int
main(void)
{
	struct sf_page *drawn = sf_page_cairo(SF_PAGE_PNG, 480, 320, 1);
	struct sf_page *laid = sf_page_svg(480, 320, 1);
	struct sf_buf out = { 0 };

	for (int bold = 0; bold < 2; bold++)
		for (int c = 0x20; c <= 0x7f; c++) {
			const struct sf_font font = { 100, 0, bold != 0 };
			char text[8];
			double want, got;

			snprintf(text, sizeof text, "x%s",
			    c == 0x7f ? "\xe2\x80\xa6"
				      : (char[]){ (char)c, '\0' });
			want = sf_page_text_width(drawn, font, text);
			got = sf_page_text_width(laid, font, text);
			CHECK_FOR(text, fabs(got - want) < 0.1);
		}
	sf_page_finish(drawn, &out);
	sf_page_finish(laid, &out);
	sf_buf_release(&out);
	return 0;
}
