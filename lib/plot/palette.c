/* Colours and hatching, by category. */
#include "plot/palette.h"

static const struct {
	uint32_t colour;
	enum sf_hatch hatch;
} looks[] = {
#define SF_LOOK(category, colour, hatch) \
	[SF_CAT_##category] = { colour, SF_HATCH_##hatch },
#include "plot/palette.def"
#undef SF_LOOK
};

/* Rec. 709 weights, near enough to choose between black and white text. */
static double
lightness(uint32_t colour)
{
	return 0.2126 * (colour >> 16 & 255) + 0.7152 * (colour >> 8 & 255) +
	    0.0722 * (colour & 255);
}

struct sf_look
sf_look_of(enum sf_category category)
{
	uint32_t colour = looks[category].colour;

	return (struct sf_look){ colour, looks[category].hatch,
		lightness(colour) < 128 ? 0xffffff : SF_INK };
}
