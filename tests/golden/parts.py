"""Models that see images, and models of several parts, and the calls of them.

A part is a method of a model as a module whose parameters are those that the
method uses. Each function returns what those of models.py do.
"""

import torch

from models import DTYPES, tokens


class Part(torch.nn.Module):
    def __init__(self, model, method, own, **given):
        super().__init__()
        self.model, self.method, self.own = model, method, own
        self.given = given
        self.eval()

    def parameters(self, recurse=True):
        for one in self.own:
            yield from one.parameters()

    def forward(self, *args, **kwargs):
        return getattr(self.model, self.method)(*args, **self.given, **kwargs)


def model(config, dtype):
    """The class that the configuration names, with its weights as they are:
    drawing some asks for values, which fake tensors have not."""
    import transformers
    from transformers import initialization

    fields = {k: v for k, v in config.items() if k != "model_type"}
    made = transformers.AutoConfig.for_model(config["model_type"], **fields)
    with initialization.no_init_weights():
        cls = getattr(transformers, config["architectures"][0])
        return cls._from_config(made, dtype=DTYPES[dtype]).eval()


def pixels(config, batch, dtype):
    own = config.get("vision_config", config)
    size = own["image_size"]
    height, width = size if isinstance(size, list) else (size, size)
    return torch.zeros(batch, own.get("num_channels", 3), height, width,
                       dtype=DTYPES[dtype])


def tower(config, batch, dtype):
    """An image alone."""
    made = model(config, dtype)
    images = pixels(config, batch, dtype)
    if config["model_type"] == "clip":
        own = [made.vision_model, made.visual_projection]
        return Part(made, "get_image_features", own), (images,), {}
    if config["model_type"] == "llava":
        own = [made.model.vision_tower, made.model.multi_modal_projector]
        return Part(made, "get_image_features", own,
                    vision_feature_layer=config.get(
                        "vision_feature_layer", -2),
                    vision_feature_select_strategy=config.get(
                        "vision_feature_select_strategy", "default")), \
            (images,), {}
    return made, (images,), {}


def text(config, count, batch, dtype, cache):
    """The text model alone."""
    made = model(config, dtype)
    ids = tokens(batch, count)
    if config["model_type"] == "clip":
        own = [made.text_model, made.text_projection]
        return Part(made, "get_text_features", own), (ids,), {}
    if config["model_type"] == "llava":
        own = [made.model.language_model, made.lm_head]
        return Part(made, "__call__", own), (ids,), \
            {} if cache else {"use_cache": False}
    return made, (ids,), {}


def both(config, count, batch, dtype):
    made = model(config, dtype)
    return made, (tokens(batch, count), pixels(config, batch, dtype)), {}


PARTS = ("clip", "clip_text_model", "clip_vision_model", "llava", "vit")


def call(config, phase, size, batch, dtype, cache):
    """SIZE: tokens, of "both" beside the image's size."""
    if phase == "image":
        return tower(config, batch, dtype)
    if phase == "both":
        return both(config, int(size.split("+")[0]), batch, dtype)
    return text(config, size, batch, dtype, cache)
