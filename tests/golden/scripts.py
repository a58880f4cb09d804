"""Scripts that are no modules by their names, loaded as such."""

import importlib.machinery
import importlib.util
import os

HERE = os.path.dirname(os.path.abspath(__file__))


def script(path):
    """The module that the script at PATH makes, which may be relative to
    this directory."""
    loader = importlib.machinery.SourceFileLoader(
        os.path.basename(path).removesuffix(".py").replace("-", "_"),
        os.path.join(HERE, path))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
