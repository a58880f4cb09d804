/*
 * LLaVA: what is between its tower and its text model, as transformers 5.18's
 * modeling_llava.py has it.
 */
#include <string.h>

#include "base/num.h"
#include "model/arch-part.h"
#include "model/fields.h"
#include "model/mlp.h"
#include "model/tower.h"
#include "model/whole.h"

/* Which of the tower's states is taken: a layer's input, or the last. */
static int64_t
chosen_layer(const struct sf_config *whole, const struct sf_arch *tower)
{
	const char *key = "vision_feature_layer";
	const struct sf_config_value *v = sf_field_find(&whole->root, key);
	int64_t layer = -2;

	if (v != NULL &&
	    (v->type != SF_CONFIG_NUMBER ||
		!sf_int_parse(v->text, strlen(v->text), &layer)))
		sf_config_die(
		    whole, v, "'%s': expected the number of a layer", key);
	if (layer < 0)
		layer += tower->layers + 1;
	if (layer < 0 || layer > tower->layers)
		sf_config_die(whole, v != NULL ? v : &whole->root,
		    "'%s' is of none of the tower's %lld layers", key,
		    (long long)tower->layers);
	return layer;
}

void
sf_llava_read(
    struct sf_arch *text, struct sf_arch *tower, const struct sf_config *whole)
{
	const char *key = "vision_feature_select_strategy";
	const char *how = sf_field_text(whole, &whole->root, key);
	struct sf_arch projector = { .activation = SF_ACT_GELU };

	sf_arch_read_activation(&projector, whole, "projector_hidden_act");
	tower->image.chosen_layer = chosen_layer(whole, tower);
	tower->image.keeps_class = how != NULL && strcmp(how, "full") == 0;
	if (how != NULL && strcmp(how, "full") != 0 &&
	    strcmp(how, "default") != 0)
		sf_config_die(whole, sf_field_find(&whole->root, key),
		    "'%s' is '%s', expected default or full", key, how);
	tower->projector_act = projector.activation;
	tower->projection = text->hidden;
	tower->mlp_bias =
	    sf_field_bool_or(whole, "multimodal_projector_bias", true);
	tower->prefix = "model.vision_tower.";
}

struct sf_val *
sf_llava_project(struct sf_build *b, struct sf_val *x)
{
	const struct sf_decomposition *l = b->route->lower;
	const struct sf_arch *a = b->arch;
	struct sf_item patches[] = { SF_ALL, SF_FROM(1) };
	const char *around;

	if (!a->image.keeps_class)
		x = l->getitem(b, x, 2, patches);
	around = sf_enter(b, -1, "model.multi_modal_projector");
	x = sf_linear_activated(b, -1, "model.multi_modal_projector.linear_1",
	    x, a->projection, a->mlp_bias, "act", a->projector_act);
	x = sf_linear(b, -1, "model.multi_modal_projector.linear_2", x,
	    a->projection, a->mlp_bias);
	sf_leave(b, around);
	l->unbind(b, x);
	return x;
}
