#!/usr/bin/env python3
"""trace-matrix.py [--tags] SPEC TAPDIR SUITE.bats... - which test verifies
which requirement, as Markdown.

A requirement of SPEC is a line "**SF-01** (pattern, method)" or "(pattern,
method, planned)". A test carries its requirements in bats' own tags, in a line
"# bats test_tags=SF-01,SF-02" before it. Its result is read from
TAPDIR/SUITE.tap. Prints what is wrong, a line each, and exits 1 when a
requirement has no passing test (a demonstration may have been skipped), when
one of its tests failed or did not run, when a test names a requirement that
SPEC does not have, and when a planned one has a test. With --tags no results
are read: tests are listed, and counted as if they had passed.
"""
import os
import re
import sys

PATTERNS = ("ubiquitous", "event-driven", "state-driven",
            "unwanted behaviour", "optional feature")
METHODS = ("test", "analysis", "demonstration")
wrong = []


def requirements(path):
    """{id: (method, planned)} in the order of the page."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"\*\*(SF-\d+)\*\* \(([^)]*)\)$", line)
            if not match:
                if re.match(r"\*\*SF-", line):
                    wrong.append("%s: found %r" % (path, line.strip()))
                continue
            name, words = match.group(1), match.group(2).split(", ")
            if (name in found or words[0] not in PATTERNS or
                    len(words) < 2 or words[1] not in METHODS or
                    words[2:] not in ([], ["planned"])):
                wrong.append("%s: found %r" % (path, line.strip()))
                continue
            found[name] = (words[1], words[2:] == ["planned"])
    return found


def tagged(path):
    """(test, [id]) for each test of a suite that has tags."""
    tags = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"# bats test_tags=(.*)$", line)
            if match:
                tags += [t.strip() for t in match.group(1).split(",")]
            match = re.match(r'@test (["\'])(.*)\1 \{$', line)
            if match and tags:
                yield match.group(2), tags
            if match:
                tags = []


def results(path):
    """{test: "passed", "failed" or "skipped"} from what bats wrote."""
    found = {}
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"(not )?ok \d+ (.*?)( # skip.*)?$", line)
            if match:
                found[match.group(2)] = ("failed" if match.group(1) else
                                         "skipped" if match.group(3) else
                                         "passed")
    return found


def main(args):
    only_tags = args[0] == "--tags"
    spec, tapdir, *suites = args[1:] if only_tags else args
    known = requirements(spec)
    rows = {name: [] for name in known}
    for suite in sorted(suites):
        name = os.path.splitext(os.path.basename(suite))[0]
        ran = results(os.path.join(tapdir, name + ".tap"))
        for test, tags in tagged(suite):
            result = "passed" if only_tags else ran.get(test, "not run")
            for tag in tags:
                if tag not in known:
                    wrong.append("%s: %r names %s, which %s does not have" %
                                 (suite, test, tag, spec))
                else:
                    rows[tag].append((name, test, result))
    for name, (method, planned) in known.items():
        told = [r[2] for r in rows[name]]
        if planned:
            if told:
                wrong.append("%s is planned and has a test" % name)
            continue
        enough = ("passed", "skipped") if method == "demonstration" else \
            ("passed",)
        if not any(result in enough for result in told):
            wrong.append("%s has no passing test" % name)
        for suite, test, result in rows[name]:
            if result in ("failed", "not run"):
                wrong.append("%s: %s: %r: %s" % (name, suite, test, result))
    if not known:
        wrong.append("%s has no requirement" % spec)
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    write(known, rows)
    return 0


def write(known, rows):
    planned = sum(p for _, p in known.values())
    print("# Traceability\n\n"
          "Which test verifies which requirement of [the specification]"
          "(spec.md). `make trace-matrix` writes this\npage from a test run, "
          "and does not when a requirement has no passing test or a test names "
          "one that\nthere is not. A demonstration that says *skipped* had no "
          "PyTorch where the page was written.\n\n"
          "%d requirements, %d of them planned.\n\n"
          "| Requirement | Method | Suite | Test | Result |\n"
          "|---|---|---|---|---|" % (len(known), planned))
    for name, (method, planned) in known.items():
        if planned:
            print("| %s | %s | | | planned |" % (name, method))
        for suite, test, result in rows[name]:
            print("| %s | %s | %s | %s | %s |" % (
                name, method, suite, test.replace("|", "\\|"), result))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
