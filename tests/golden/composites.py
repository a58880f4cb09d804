#!/usr/bin/env python3
"""composites.py - the ATen operators that PyTorch makes of others, for
lib/dispatch/composite.def: names with a kernel for CompositeImplicitAutograd.
Questions, and what only sets something, are left out by hand there."""
import torch

names = set()
for schema in torch._C._jit_get_all_schemas():
    full = schema.name + ("." + schema.overload_name
                          if schema.overload_name else "")
    if not schema.name.startswith("aten::"):
        continue
    try:
        if torch._C._dispatch_has_kernel_for_dispatch_key(
                full, "CompositeImplicitAutograd"):
            names.add(schema.name.removeprefix("aten::"))
    except RuntimeError:
        continue  # TorchScript's own
print("\n".join(sorted(names)))
