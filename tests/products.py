#!/usr/bin/env python3
"""Products and operators of rules over the kind, without sf-rules.

products.py schema SCHEMA EXCEPTIONS RULES
                                every operator of SCHEMA that takes or returns
                                a tensor is in RULES or in EXCEPTIONS
"""

import sys


def table(path):
    with open(path) as lines:
        return [line.rstrip("\n").split("\t") for line in lines
                if not line.startswith("#")]


def schema(operators, exceptions, rules):
    names = {row[0] for row in table(rules)}
    reasons = {row[0]: row[1] for row in table(exceptions)}
    rows = table(operators)
    assert len(rows) > 1500 and len(names) > 1000
    bad = []
    for name, takes, returns in rows:
        full = "aten." + name
        has = full in names or full.endswith("_") and full[:-1] in names
        if has and name in reasons:
            bad.append("%s: has a rule, and a reason for none" % name)
        if not has and (takes, returns) != ("-", "-") and name not in reasons:
            bad.append("%s: has no rule and no reason" % name)
    known = {row[0] for row in rows}
    bad += ["%s: is no operator" % name for name in reasons
            if name not in known]
    return bad


def main():
    action, arguments = sys.argv[1], sys.argv[2:]
    bad = {"schema": schema}[action](*arguments)
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main())
