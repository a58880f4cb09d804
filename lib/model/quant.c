/* How weights are stored. */
#include "model/quant.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "model/fields.h"

/* ---- sizes ---- */

static int64_t
blocks_of(int64_t n, int64_t size)
{
	return size == 0 ? 1 : n / size + (n % size != 0);
}

/* N of BITS each, in whole units of UNIT bits, as bytes. */
static bool
packed(int64_t n, int bits, int64_t unit, int64_t *bytes)
{
	int64_t all;

	if (!sf_mul(n, bits, &all))
		return false;
	*bytes = blocks_of(all, unit) * (unit / 8);
	return true;
}

/* Bytes of the weights themselves, of one matrix. */
static bool
weights(const struct sf_quant *q, int64_t outputs, int64_t inputs, int64_t *out)
{
	int64_t n;

	if (q->in_words)
		return packed(inputs, q->bits, 32, &n) &&
		    sf_mul(n, outputs, out);
	return sf_mul(outputs, inputs, &n) && packed(n, q->bits, 8, out);
}

bool
sf_quant_bytes(const struct sf_quant *q, int64_t matrices, int64_t outputs,
    int64_t inputs, int64_t *bytes)
{
	int64_t blocks, scales, more;

	return sf_mul(blocks_of(outputs, q->block_outputs),
		   blocks_of(inputs, q->block_inputs), &blocks) &&
	    weights(q, outputs, inputs, bytes) &&
	    packed(blocks, q->scale_bits + q->zero_bits, 8, &scales) &&
	    sf_mul(inputs, q->input_bytes, &more) &&
	    sf_add(more, q->matrix_bytes, &more) &&
	    sf_add(*bytes, scales, bytes) && sf_add(*bytes, more, bytes) &&
	    sf_mul(*bytes, matrices, bytes);
}

/* ---- modules that are kept ---- */

static bool
matches_name(const struct sf_config *config, const struct sf_config_value *v,
    const char *module)
{
	const char *pattern = v->text;
	size_t n = strlen(pattern), all = strlen(module);
	regmatch_t at;
	regex_t regex;
	bool found;

	if (strncmp(pattern, "re:", 3) == 0) {
		if (regcomp(&regex, pattern + 3, REG_EXTENDED) != 0)
			sf_config_die(config, v,
			    "'%s': expected an expression that can be read",
			    pattern);
		found =
		    regexec(&regex, module, 1, &at, 0) == 0 && at.rm_so == 0;
		regfree(&regex);
		return found;
	}
	if (strpbrk(pattern, "*?") != NULL)
		return fnmatch(pattern, module, 0) == 0;
	/* The module, one that it is in, or the end of its name. */
	return (strncmp(module, pattern, n) == 0 &&
		   (module[n] == '\0' || module[n] == '.')) ||
	    (all > n && module[all - n - 1] == '.' &&
		strcmp(module + all - n, pattern) == 0);
}

/*
 * A model that has several parts calls the layers of its text model otherwise:
 * "model.layers" is "model.language_model.layers", or "language_model." is before
 * all that the text model has.
 */
static bool
matches(const struct sf_quant *q, const struct sf_config_value *v,
    const char *module)
{
	char other[512];

	if (matches_name(q->config, v, module))
		return true;
	if (!q->part)
		return false;
	snprintf(other, sizeof other, "language_model.%s", module);
	if (matches_name(q->config, v, other))
		return true;
	if (strncmp(module, "model.", 6) != 0)
		return false;
	snprintf(other, sizeof other, "model.language_model.%s", module + 6);
	return matches_name(q->config, v, other);
}

bool
sf_quant_applies(const struct sf_quant *q, const char *module)
{
	if (q->name == NULL)
		return false;
	for (size_t i = 0; q->kept != NULL && i < q->kept->nitems; i++) {
		const struct sf_config_value *v = &q->kept->items[i];

		if (v->type != SF_CONFIG_STR)
			sf_config_die(q->config, v, "expected a module's name");
		if (matches(q, v, module))
			return false;
	}
	return true;
}

/* ---- quantization_config ---- */

/* A whole number of OBJECT; OTHERWISE when it is absent or null. */
static int64_t
number(const struct sf_config *config, const struct sf_config_value *object,
    const char *key, int64_t otherwise)
{
	const struct sf_config_value *v = sf_field_find(object, key);
	int64_t x;

	if (v == NULL)
		return otherwise;
	if (v->type != SF_CONFIG_NUMBER ||
	    !sf_int_parse(v->text, strlen(v->text), &x) || x < -1)
		sf_config_die(config, v, "'%s': expected a whole number", key);
	return x;
}

static bool
flag(const struct sf_config *config, const struct sf_config_value *object,
    const char *key, bool otherwise)
{
	const struct sf_config_value *v = sf_field_find(object, key);

	if (v != NULL && v->type != SF_CONFIG_BOOL)
		sf_config_die(config, v, "'%s': expected true or false", key);
	return v != NULL ? v->boolean : otherwise;
}

static int
read_bits(const struct sf_config *config, const struct sf_config_value *object,
    const char *key)
{
	int64_t bits = number(config, object, key, 0);

	if (bits != 2 && bits != 3 && bits != 4 && bits != 8)
		sf_config_die(
		    config, object, "'%s': expected 2, 3, 4 or 8", key);
	return (int)bits;
}

/* The inputs of a group; -1, for all, comes out as 0. */
static int64_t
read_group(const struct sf_config *config, const struct sf_config_value *object,
    int64_t otherwise)
{
	int64_t n = number(config, object, "group_size", otherwise);

	if (n == 0)
		sf_config_die(config, sf_field_find(object, "group_size"),
		    "'group_size' is 0, expected a size or -1");
	return n < 0 ? 0 : n;
}

static void
keep(struct sf_quant *q, const struct sf_config_value *object, const char *key)
{
	const struct sf_config_value *v = sf_field_find(object, key);

	if (v == NULL)
		return;
	if (v->type != SF_CONFIG_LIST)
		sf_config_die(q->config, v, "'%s': expected a list", key);
	q->kept = v;
}

/* Two sizes of a block, of which there may be none. */
static bool
read_block(struct sf_quant *q, const struct sf_config_value *v)
{
	int64_t size[2];

	if (v == NULL)
		return false;
	if (v->type != SF_CONFIG_LIST || v->nitems != 2)
		sf_config_die(q->config, v, "'%s': expected two sizes", v->key);
	for (int i = 0; i < 2; i++)
		if (v->items[i].type != SF_CONFIG_NUMBER ||
		    !sf_int_parse(
			v->items[i].text, strlen(v->items[i].text), &size[i]) ||
		    size[i] < 1)
			sf_config_die(
			    q->config, v, "'%s': expected two sizes", v->key);
	q->block_outputs = size[0];
	q->block_inputs = size[1];
	return true;
}

/* True when the text under KEY is NAME. */
static bool
says(const struct sf_config *config, const struct sf_config_value *object,
    const char *key, const char *name)
{
	const char *text = sf_field_text(config, object, key);

	return text != NULL && strcmp(text, name) == 0;
}

/* FP8 with a scale for each block, or one; transformers' own. */
static void
read_fp8(struct sf_quant *q, const struct sf_config_value *v)
{
	q->bits = 8;
	q->floats = true;
	q->scale_bits = says(q->config, v, "scale_fmt", "ue8m0") ? 8 : 32;
	read_block(q, sf_field_find(v, "weight_block_size"));
	if (says(q->config, v, "activation_scheme", "static"))
		q->matrix_bytes = 4;
	keep(q, v, "ignored_layers");
	keep(q, v, "modules_to_not_convert");
	if (says(q->config, v, "moe_quant_algo", "NVFP4")) {
		q->name = "fp8-nvfp4";
		q->fp4_experts = true;
	} else if (says(q->config, v, "quant_algo", "MIXED_PRECISION")) {
		sf_config_die(q->config, sf_field_find(v, "quant_algo"),
		    "'quant_algo' is MIXED_PRECISION, expected "
		    "'moe_quant_algo' NVFP4 with it");
	}
}

static void
read_awq(struct sf_quant *q, const struct sf_config_value *v)
{
	q->bits = read_bits(q->config, v, "bits");
	q->block_outputs = 1;
	q->block_inputs = read_group(q->config, v, 128);
	q->scale_bits = 16;
	q->zero_bits = flag(q->config, v, "zero_point", true) ? q->bits : 0;
	keep(q, v, "modules_to_not_convert");
}

/* Zero points are stored whether they are used or not. */
static void
read_gptq(struct sf_quant *q, const struct sf_config_value *v)
{
	q->bits = read_bits(q->config, v, "bits");
	q->in_words = true;
	q->block_outputs = 1;
	q->block_inputs = read_group(q->config, v, 128);
	q->scale_bits = 16;
	q->zero_bits = q->bits;
	q->input_bytes = 4;
	q->head = flag(q->config, v, "lm_head", false);
}

/* The one group that a configuration may have: its weights. */
static const struct sf_config_value *
find_group(const struct sf_config *config, const struct sf_config_value *v,
    const struct sf_config_value **group)
{
	const struct sf_config_value *groups =
	    sf_field_find(v, "config_groups");

	if (groups == NULL || groups->type != SF_CONFIG_OBJECT ||
	    groups->nitems != 1 || groups->items[0].type != SF_CONFIG_OBJECT)
		sf_config_die(config, groups != NULL ? groups : v,
		    "'config_groups': expected one group");
	*group = &groups->items[0];
	v = sf_field_find(*group, "weights");
	if (v == NULL || v->type != SF_CONFIG_OBJECT)
		sf_config_die(config, *group, "'weights' is missing");
	return v;
}

/* Four-bit floats with an FP8 scale for each 16, and one for all. */
static void
set_nvfp4(struct sf_quant *q)
{
	q->name = "nvfp4";
	q->bits = 4;
	q->floats = true;
	q->block_outputs = 1;
	q->block_inputs = 16;
	q->scale_bits = 8;
	q->matrix_bytes = 8;
}

struct sf_quant
sf_quant_of_experts(const struct sf_quant *quant)
{
	struct sf_quant q = *quant;

	if (q.fp4_experts)
		set_nvfp4(&q);
	return q;
}

/* Four-bit floats with an exponent for each 32. */
static void
set_mxfp4(struct sf_quant *q)
{
	q->name = "mxfp4";
	q->bits = 4;
	q->floats = true;
	q->block_outputs = 1;
	q->block_inputs = 32;
	q->scale_bits = 8;
}

static void
read_strategy(struct sf_quant *q, const struct sf_config_value *w)
{
	const char *name = sf_field_text(q->config, w, "strategy");
	int64_t group = number(q->config, w, "group_size", 0);

	if (name == NULL)
		name = group > 0 ? "group" : "tensor";
	if (strcmp(name, "tensor") == 0)
		return;
	q->block_outputs = 1;
	if (strcmp(name, "channel") == 0)
		return;
	if (strcmp(name, "group") == 0 || strcmp(name, "tensor_group") == 0)
		q->block_inputs = read_group(q->config, w, 128);
	else if (strcmp(name, "block") != 0 ||
	    !read_block(q, sf_field_find(w, "block_structure")))
		sf_config_die(q->config, w,
		    "'strategy' is '%s', expected tensor, channel, group or "
		    "block",
		    name);
}

static void
read_compressed(struct sf_quant *q, const struct sf_config_value *v)
{
	const struct sf_config_value *group, *w;
	const char *format;

	w = find_group(q->config, v, &group);
	format = sf_field_text(q->config, group, "format");
	if (format == NULL)
		format = sf_field_text(q->config, v, "format");
	q->head = true;
	keep(q, v, "ignore");
	if (format != NULL && strncmp(format, "nvfp4", 5) == 0) {
		set_nvfp4(q);
		return;
	}
	if (format != NULL && strncmp(format, "mxfp4", 5) == 0) {
		set_mxfp4(q);
		return;
	}
	q->bits = read_bits(q->config, w, "num_bits");
	q->floats = says(q->config, w, "type", "float");
	read_strategy(q, w);
	q->scale_bits = 16;
	if (!flag(q->config, w, "symmetric", true))
		q->zero_bits = q->bits;
	if (format != NULL && strcmp(format, "pack-quantized") == 0) {
		q->in_words = true;
		q->matrix_bytes = 16; /* the shape, which packing hides */
	}
}

/* NVIDIA's ModelOpt: scales of weights and of inputs. */
static void
read_modelopt(struct sf_quant *q, const struct sf_config_value *v)
{
	q->head = true;
	keep(q, v, "ignore");
	keep(q, v, "exclude_modules");
	if (says(q->config, v, "quant_algo", "NVFP4")) {
		set_nvfp4(q);
		return;
	}
	if (!says(q->config, v, "quant_algo", "FP8"))
		sf_config_die(
		    q->config, v, "'quant_algo': expected FP8 or NVFP4");
	q->name = "fp8";
	q->bits = 8;
	q->floats = true;
	q->scale_bits = 32;
	q->matrix_bytes = 4;
}

static void
read_mxfp4(struct sf_quant *q, const struct sf_config_value *v)
{
	set_mxfp4(q);
	q->experts_only = true;
	keep(q, v, "modules_to_not_convert");
}

static const struct {
	const char *name;
	void (*read)(struct sf_quant *q, const struct sf_config_value *v);
} methods[] = {
	{ "fp8", read_fp8 },
	{ "awq", read_awq },
	{ "gptq", read_gptq },
	{ "compressed-tensors", read_compressed },
	{ "modelopt", read_modelopt },
	{ "mxfp4", read_mxfp4 },
};

void
sf_quant_read(struct sf_quant *q, const struct sf_config *config)
{
	const struct sf_config_value *v =
	    sf_field_find(&config->root, "quantization_config");
	const char *name;

	*q = (struct sf_quant){ .config = config };
	if (v == NULL || sf_field_means_none(v))
		return;
	if (v->type != SF_CONFIG_OBJECT)
		sf_config_die(
		    config, v, "'quantization_config': expected an object");
	name = sf_field_text(config, v, "quant_method");
	/* ModelOpt does not always say that it is the method. */
	if (name == NULL && sf_field_find(v, "quant_algo") != NULL)
		name = "modelopt";
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (name != NULL && strcmp(methods[i].name, name) == 0) {
			q->name = methods[i].name;
			methods[i].read(q, v);
			return;
		}
	sf_config_die(config, v,
	    "'quantization_config' is of method '%s', expected fp8, awq, gptq, "
	    "compressed-tensors, modelopt or mxfp4",
	    name != NULL ? name : "");
}

void
sf_quant_read_part(struct sf_quant *q, const struct sf_config *whole,
    const struct sf_config *part)
{
	sf_quant_read(q, part);
	if (q->name == NULL)
		sf_quant_read(q, whole);
	q->part = true;
}

/* ---- by name ---- */

bool
sf_quant_named(struct sf_quant *q, const char *type)
{
	*q = (struct sf_quant){ .name = type, .block_outputs = 1 };
	if (strcmp(type, "f8") == 0) {
		q->bits = 8;
		q->floats = true;
		q->block_outputs = q->block_inputs = 128;
		q->scale_bits = 32;
	} else if (strcmp(type, "i8") == 0) {
		q->bits = 8;
		q->scale_bits = 32;
	} else if (strcmp(type, "i4") == 0) {
		q->bits = q->zero_bits = 4;
		q->block_inputs = 128;
		q->scale_bits = 16;
	} else if (strcmp(type, "f4") == 0) {
		set_nvfp4(q);
		q->name = type;
	} else {
		q->bits = 16;
		q->name = NULL;
		return strcmp(type, "bf16") == 0 || strcmp(type, "f16") == 0;
	}
	return true;
}
