/*
 * How the weights of linear layers and experts are stored: in fewer bits, with
 * scales for blocks of them. It changes no shape: a trace has the operators of
 * the model in its own type, and says what is stored of the weights.
 */
#ifndef SF_MODEL_QUANT_H
#define SF_MODEL_QUANT_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

struct sf_quant {
	const char *name; /* for people; NULL: as they are computed with */
	int bits;         /* of a weight */
	bool floats;      /* they are floating-point numbers */
	bool in_words;    /* those of one output are packed in 32-bit words */
	/* Outputs and inputs of a block; 0: all. No block, no scales. */
	int64_t block_outputs, block_inputs;
	int scale_bits;
	int zero_bits; /* of a block's zero point; 0: it has none */
	/* Bytes beside those: for each matrix, for each of its inputs. */
	int64_t matrix_bytes, input_bytes;
	bool experts_only; /* and no linear layer */
	bool fp4_experts;  /* experts are as NVFP4 has them */
	bool head;         /* the head, too */
	bool part;         /* of a model of which this one is the text's part */
	/* Names of modules that are left as they are; NULL: none. */
	const struct sf_config *config;
	const struct sf_config_value *kept;
};

/*
 * quantization_config. Dies with the field when its method is not known, or
 * says what is not supported.
 */
void sf_quant_read(struct sf_quant *quant, const struct sf_config *config);

/*
 * The same of PART, a model's configuration in WHOLE, which may say it instead.
 */
void sf_quant_read_part(struct sf_quant *quant, const struct sf_config *whole,
    const struct sf_config *part);

/*
 * One that a type's name asks for: bf16, f16, f8, i8, i4 or f4. False when it
 * is none of these.
 */
bool sf_quant_named(struct sf_quant *quant, const char *type);

/* True when it is for the module of that name, as config.json has it. */
bool sf_quant_applies(const struct sf_quant *quant, const char *module);

/* What holds for experts, which may be another than for the rest. */
struct sf_quant sf_quant_of_experts(const struct sf_quant *quant);

/*
 * Bytes that are stored of MATRICES matrices of OUTPUTS by INPUTS weights; false
 * when they pass 2^63 - 1.
 */
bool sf_quant_bytes(const struct sf_quant *quant, int64_t matrices,
    int64_t outputs, int64_t inputs, int64_t *bytes);

#endif
