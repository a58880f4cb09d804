# Cases from public bug reports that say which commands to run and what they
# must print. They are outside of the tree; without them this is skipped.

load helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	need_shared
}

# Checks that ask for programs or options that are not there yet: the number of
# a case, the position of the check, why.
LATER="085 2 convolutions that are tiled as matrices of patches"

@test "every check of every case comes out as it must" {
	run -0 python3 - "$SF_SHARED/data/cases" "$LATER" <<-'END'
		import json, pathlib, subprocess, sys
		folder = pathlib.Path(sys.argv[1])
		later = {tuple(row.split()[:2]) for row in sys.argv[2].splitlines()}
		ran = bad = 0
		for path in sorted(folder.glob("*.expect.json")):
		    for i, check in enumerate(json.loads(path.read_text()).get("checks", [])):
		        if (path.name[:3], str(i)) in later:
		            continue
		        ran += 1
		        got = subprocess.run(["bash", "-c", check["run"]], cwd=folder,
		                             capture_output=True, text=True).stdout.strip()
		        if got != check["want"]:
		            bad += 1
		            print(path.name, i, "got", got, "want", check["want"])
		sys.exit(1 if bad or ran < 20 else 0)
	END
}
