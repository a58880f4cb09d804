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
        module = cls._from_config(made, dtype=DTYPES[dtype]).eval()
    module.tie_weights()
    return module


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
    if config["model_type"] == "siglip":
        return Part(made, "get_image_features", [made.vision_model]), \
            (images,), {}
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
    if config["model_type"] == "siglip":
        return Part(made, "get_text_features", [made.text_model]), (ids,), {}
    if config["model_type"] == "llava":
        own = [made.model.language_model, made.lm_head]
        return Part(made, "__call__", own), (ids,), \
            {} if cache else {"use_cache": False}
    return made, (ids,), {}


def both(config, count, batch, dtype):
    made = model(config, dtype)
    return made, (tokens(batch, count), pixels(config, batch, dtype)), {}


# ---- an encoder, and a decoder that reads it ----


def source_of(config, count):
    """How many the encoder gives for so many tokens of its own."""
    return config.get("max_source_positions", count)


def pair_of(config, count, source, batch, dtype, cache):
    """COUNT tokens of the decoder behind SOURCE of the encoder."""
    made = model(config, dtype)
    given = {} if cache else {"use_cache": False}
    if config["model_type"] == "whisper":
        heard = torch.zeros(batch, config["num_mel_bins"], 2 * source,
                            dtype=DTYPES[dtype])
        return made, (), {"input_features": heard, **given,
                          "decoder_input_ids": tokens(batch, count)}
    if config["architectures"] == ["T5EncoderModel"]:
        return made, (tokens(batch, count),), {}
    return made, (), {"input_ids": tokens(batch, source), **given,
                      "decoder_input_ids": tokens(batch, count)}


def heard(config, seconds, batch, dtype):
    """Windows of audio, of 50 positions a second."""
    positions = config["max_source_positions"]
    windows = -(-50 * seconds // positions)
    made = model(config, dtype)
    return made.get_encoder(), (
        torch.zeros(batch * windows, config["num_mel_bins"], 2 * positions,
                    dtype=DTYPES[dtype]),), {}


def filled(config, layers, heads, size, count, batch, dtype):
    """A cache of LAYERS that hold COUNT tokens."""
    from transformers import DynamicCache

    cache = DynamicCache()
    for layer in range(layers):
        held = torch.zeros(batch, heads, count, size, dtype=DTYPES[dtype])
        cache.update(held, held.clone(), layer)
    return cache


def decode(config, context, batch, dtype):
    """One token more of the decoder; its caches hold all that is behind."""
    from transformers import EncoderDecoderCache
    from transformers.modeling_outputs import BaseModelOutput

    made = model(config, dtype)
    width = config["d_model"]
    heads = config.get("decoder_attention_heads", config.get("num_heads"))
    layers = config.get("decoder_layers", config.get(
        "num_decoder_layers", config.get("num_layers")))
    size = config.get("d_kv", width // heads)
    source = source_of(config, context)
    caches = [filled(config, layers, heads, size, count, batch, dtype)
              for count in (context, source)]
    states = BaseModelOutput(last_hidden_state=torch.zeros(
        batch, source, width, dtype=DTYPES[dtype]))
    return made, (), {"encoder_outputs": states,
                      "decoder_input_ids": tokens(batch, 1),
                      "past_key_values": EncoderDecoderCache(*caches)}


PAIRS = ("bart", "marian", "mbart", "pegasus", "t5", "whisper")
PARTS = PAIRS + ("clip", "clip_text_model", "clip_vision_model", "deit",
                 "dinov2", "llava", "modernbert", "siglip",
                 "siglip_text_model",
                 "siglip_vision_model", "vit")


def call(config, phase, size, batch, dtype, cache):
    """SIZE: tokens; of "both" with the image's size, of "source" with the
    tokens of the encoder, of "audio" the seconds."""
    if phase == "audio":
        return heard(config, size, batch, dtype)
    if config["model_type"] in PAIRS:
        if phase == "decode":
            return decode(config, size, batch, dtype)
        count, source = (size, source_of(config, size)) \
            if phase != "source" else map(int, size.split("+"))
        return pair_of(config, count, source, batch, dtype, cache)
    if phase == "image":
        return tower(config, batch, dtype)
    if phase == "both":
        return both(config, int(size.split("+")[0]), batch, dtype)
    return text(config, size, batch, dtype, cache)
