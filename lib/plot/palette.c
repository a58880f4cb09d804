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

static struct sf_look
look_of(uint32_t colour, enum sf_hatch hatch)
{
	return (struct sf_look){ colour, hatch,
		lightness(colour) < 128 ? 0xffffff : SF_INK };
}

struct sf_look
sf_look_of(int category)
{
	return look_of(looks[category].colour, looks[category].hatch);
}

static const struct {
	const char *name;
	uint32_t colour;
} waits[] = {
#define SF_WAIT(id, name, colour) { name, colour },
#include "plot/wait.def"
#undef SF_WAIT
};

const char *
sf_wait_name(int wait)
{
	return waits[wait].name;
}

struct sf_look
sf_look_of_wait(int wait)
{
	return look_of(waits[wait].colour, SF_HATCH_NONE);
}
