/*
 * Fields of a config.json: reading them with a message that names the file,
 * the line and the field when they are not what they should be.
 */
#ifndef SF_MODEL_FIELDS_H
#define SF_MODEL_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/decl.h"
#include "config/config.h"

/* The member, NULL when it is absent or null. */
const struct sf_config_value *
sf_field_find(const struct sf_config_value *object, const char *key);

/* True when the member is there and is null. */
bool sf_field_is_null(const struct sf_config *config, const char *key);

/* A size > 0. OTHER is a second name for it, or NULL. Dies when missing. */
int64_t sf_field_size(
    const struct sf_config *config, const char *key, const char *other);

/* The size that V is, one of the field KEY. */
int64_t sf_field_size_of(const struct sf_config *config,
    const struct sf_config_value *v, const char *key);

/* The same, and OTHERWISE when it is absent or null. */
int64_t sf_field_size_or(const struct sf_config *config, const char *key,
    const char *other, int64_t otherwise);

bool sf_field_bool_or(
    const struct sf_config *config, const char *key, bool otherwise);

/* A number > 0. */
double sf_field_number(
    const struct sf_config *config, const struct sf_config_value *v);
double sf_field_number_or(
    const struct sf_config *config, const char *key, double otherwise);

/* Text; NULL when it is absent or null. */
const char *sf_field_text(const struct sf_config *config,
    const struct sf_config_value *object, const char *key);

/* What a configuration says when it means that a feature is not there. */
bool sf_field_means_none(const struct sf_config_value *v);

/* Dies unless the member is absent, null, false or 0; WHY ends the message. */
void sf_field_refuse(
    const struct sf_config *config, const char *key, const char *why);

/* Dies with "'key' is missing, expected WHAT". */
SF_NORETURN void sf_field_missing(
    const struct sf_config *config, const char *key, const char *what);

#endif
