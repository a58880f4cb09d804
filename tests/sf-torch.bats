# sf-torch: the command line and its errors anywhere; what it records and writes
# where there is a PyTorch, in the Python that SF_TORCH_PYTHON names.

load helpers

python=${SF_TORCH_PYTHON:-python3}

sf_torch() { "$python" "$SF_BIN/sf-torch" "$@"; }

need_torch() {
	"$python" -c 'import torch' 2>/dev/null ||
	    skip "no PyTorch in SF_TORCH_PYTHON"
}

# A network of two linear layers; functions around it.
program() {
	cat >mlp.py <<-'END'
		import torch

		def mlp():
		    torch.manual_seed(0)
		    model = torch.nn.Sequential(
		        torch.nn.Linear(64, 128), torch.nn.GELU(),
		        torch.nn.LayerNorm(128), torch.nn.Linear(128, 8))
		    return model.eval(), (torch.randn(4, 64),)

		def loud():
		    print("built")
		    return mlp()

		def inplace():
		    def call(x):
		        y = x + 1
		        y.mul_(2)
		        return y * 3
		    return call, (torch.zeros(5),)

		def views():
		    w = torch.nn.Parameter(torch.zeros(6, 4))
		    return lambda x: x @ w[1:3].t().contiguous(), (torch.zeros(3, 4),)

		def convolution():
		    x, w = torch.zeros(1, 2, 8, 8), torch.zeros(4, 2, 3, 3)
		    return torch.nn.functional.conv2d, (x, w), {"padding": 1}

		def batch_norm():
		    x, m, v = torch.zeros(2, 3), torch.zeros(3), torch.ones(3)
		    return torch.nn.functional.batch_norm, (x, m, v)

		def nonzero():
		    return torch.nonzero, (torch.ones(3),)

		def raises():
		    raise ValueError("no\nsuch thing")

		def leaves():
		    raise SystemExit(0)

		def interrupts():
		    raise KeyboardInterrupt

		def odd():
		    raise type("Odd", (BaseException,), {})("not an Exception")

		def generator():
		    def call():
		        yield torch.ones(2) + 1
		    return call

		def coroutine():
		    async def call():
		        return torch.ones(2) + 1
		    return call

		def number():
		    return 7

		def undecomposed():
		    def fails(self):
		        raise ValueError("no such strides")
		    torch.export.ExportedProgram.run_decompositions = fails
		    return mlp()

		def bits():
		    model, (x,) = mlp()
		    compiled = torch.compile(model)
		    def call():
		        with torch.no_grad():
		            torch.save(compiled(x), "out.pt")
		    return call
	END
}

# The ops of the trace in the file, by jq.
ops() { jq -c "select(.kind==\"op\")|$1" trace; }

# ---- without PyTorch ----

@test "help lists the options and version is the library's" {
	run -0 --separate-stderr sf-torch --help
	[[ $output == "usage: sf-torch [option...] dispatch|"* ]]
	run -0 --separate-stderr sf-torch -V
	# It is no program of a build, and says the release alone.
	equal "$output" "$(sf-report --version |
	    sed 's/sf-report/sf-torch/; s/ ([^()]*)$//')"
}

@test "what cannot be meant is refused with status 2 and one line" {
	while read -r arguments; do
		echo "$arguments"
		run -2 --separate-stderr sf-torch $arguments
		equal "$output" ""
		one_line_error
		[[ $stderr == "sf-torch: "* ]]
	done <<-'END'
		dispatch
		dispatch m.py:f more
		run m.py:f
		dispatch m.py
		dispatch m.py:1f
		dispatch --nonsense m.py:f
		dispatch -z m.py:f
		dispatch --device
		dispatch --device tpu m.py:f
		dispatch --grad=1 m.py:f
		dispatch --workload batch m.py:f
		dispatch --workload batch=-1 m.py:f
		dispatch --workload batch=9223372036854775808 m.py:f
		dispatch --output x m.py:f
		export m.py:f
		export --workload batch=1 -o x m.py:f
		export --grad -o x m.py:f
		train --grad m.py:f
		train --skip m.py:f
		train --skip -1 m.py:f
		train --output x m.py:f
		dispatch --skip 1 m.py:f
	END
}

@test "a file that is not there is status 4" {
	run -4 --separate-stderr sf-torch dispatch absent.py:f
	one_line_error
	equal "$stderr" "sf-torch: absent.py: No such file or directory"
}

@test "without PyTorch it says so" {
	program
	# -S: the packages of this Python are not seen.
	run -3 --separate-stderr python3 -I -S "$SF_BIN/sf-torch" dispatch \
	    mlp.py:mlp
	equal "$output" ""
	one_line_error
	[[ $stderr == "sf-torch: found no PyTorch"* ]]
}

@test "help that cannot be written is status 4" {
	run -4 --separate-stderr bash -c 'sf-torch --help >/dev/full'
	one_line_error
}

# ---- with PyTorch ----

@test "the trace keeps the law and names what the dispatcher was given" {
	need_torch
	program
	sf_torch dispatch -m net -w batch=4,tokens=1 mlp.py:mlp >trace
	"$ROOT/tests/law.py" --strict <trace
	equal "$(ops .name | tr -d '"' | xargs)" "aten.t aten.addmm aten.gelu \
aten.native_layer_norm aten.t aten.addmm"
	equal "$(jq -c 'select(.kind=="trace")|[.model,.route,.workload,.params]' trace)" \
	    '["net","dispatch",{"batch":4,"tokens":1},{"count":9608,"bytes":38432}]'
	equal "$(jq -c 'select(.kind=="tool").args' trace)" \
	    '["dispatch","--model","net","--workload","batch=4,tokens=1","mlp.py:mlp"]'
	# 64 x 128 weights and 128 biases in FP32, then 4 x 64 inputs.
	equal "$(ops 'select(.i==1).inputs|map([.tid,.shape,.dtype,.param])' |
	    jq -c '.[0], .[2]')" '["0.bias",[128],"f32",true]
["t0",[64,128],"f32",true]'
}

# bats test_tags=SF-11
@test "a run is the same on the meta device, on fake and on real tensors" {
	need_torch
	program
	for device in meta fake-cpu cpu; do
		sf_torch dispatch -d $device mlp.py:mlp >trace
		ops '[.name,.inputs,.outputs]' | grep -v prim. >$device
	done
	cmp meta fake-cpu
	cmp meta cpu
}

@test "two runs write the same bytes" {
	need_torch
	program
	sf_torch dispatch -d cpu mlp.py:mlp >first
	sf_torch dispatch -d cpu mlp.py:mlp >second
	cmp first second
}

@test "what the program prints is not in the trace" {
	need_torch
	program
	run -0 --separate-stderr sf_torch dispatch mlp.py:loud
	equal "${lines[0]:0:15}" '{"kind":"trace"'
	equal "$stderr" built
}

@test "an operation in place writes the value that it read" {
	need_torch
	program
	sf_torch dispatch mlp.py:inplace >trace
	equal "$(ops '[.name,.inputs[0].tid,.outputs[0].tid]')" \
	    '["aten.add","t0","t1"]
["aten.mul_","t1","t1"]
["aten.mul","t1","t2"]'
}

@test "an operation that returns nothing puts out what it writes to" {
	need_torch
	cat >lists.py <<-'END'
	import torch

	def call(a, b):
	    torch._foreach_add_([a, b], 1)
	    torch._foreach_mul_([a], [b])

	def lists():
	    return call, (torch.ones(2, 3), torch.ones(2, 3))
	END
	sf_torch dispatch lists.py:lists >trace
	equal "$(ops '[.name,([.inputs[].tid]|join(" ")),([.outputs[].tid]|join(" "))]')" \
	    '["aten._foreach_add_","t0 t1","t0 t1"]
["aten._foreach_mul_","t0 t1","t0"]'
	equal "$(sf-rules trace | jq -c 'select(.kind=="op").flops')" "12
6"
}

@test "each result stands at its place, null for one that is None" {
	need_torch
	cat >masks.py <<-'END'
	import itertools
	import torch

	backward = torch.ops.aten.convolution_backward

	def call(g, x, w):
	    for mask in itertools.product((False, True), repeat=3):
	        if any(mask):
	            backward(g, x, w, [6], [1, 1], [0, 0], [1, 1], False, [0, 0],
	                     1, list(mask))

	def masks():
	    return call, (torch.zeros(2, 6, 4, 4), torch.zeros(2, 3, 4, 4),
	                  torch.zeros(6, 3, 1, 1))

	def trains():
	    layer = torch.nn.Conv2d(2, 4, 3, padding=1)
	    def step(x):
	        layer(x).sum().backward()
	    return step, (torch.zeros(1, 2, 10, 10),)
	END
	sf_torch dispatch masks.py:masks >trace
	"$ROOT/tests/law.py" --strict <trace
	# Input and weight: 2 x (6 x 3) x 32 each; the bias: 6 x 32.
	equal "$(sf-rules trace | jq -c 'select(.kind=="op") |
	    [(.outputs | map(.!=null)), .attrs.output_mask, .flops]')" \
	    '[[false,false,true],[false,false,true],192]
[[false,true,false],[false,true,false],1152]
[[false,true,true],[false,true,true],1344]
[[true,false,false],[true,false,false],1152]
[[true,false,true],[true,false,true],1344]
[[true,true,false],[true,true,false],2304]
[[true,true,true],[true,true,true],2496]'
	# Without the mask, as in a trace that has no attributes, places decide.
	jq -c 'del(.attrs.output_mask)' trace | sf-rules >without
	equal "$(jq -c 'select(.kind=="op").flops' without | xargs)" \
	    "192 1152 1344 1152 1344 2304 2496"
	# No gradient of the input: 2 x (4 x 18) x 100 and 4 x 100.
	sf_torch dispatch -g masks.py:trains >trace
	equal "$(sf-rules trace | jq -c 'select(.name=="aten.convolution_backward") |
	    [(.outputs | map(.!=null)), .flops]')" '[[false,true,true],14800]'
}

@test "outputs are results, then what is written and not returned" {
	need_torch
	run -0 "$python" "$ROOT/tests/torch-outputs.py" "$SF_BIN/sf-torch"
	[[ $output == *" schemas, "*" of them write" ]]
}

@test "a view of a parameter is a parameter, and a copy of it is not" {
	need_torch
	program
	sf_torch dispatch mlp.py:views >trace
	equal "$(ops '[.name,.outputs[0].param]')" '["aten.slice",true]
["aten.t",true]
["aten.clone",null]
["aten.mm",null]'
	equal "$(jq -c 'select(.kind=="trace").params' trace)" \
	    '{"count":24,"bytes":96}'
}

@test "an optional tensor is null only where another follows it" {
	need_torch
	program
	sf_torch dispatch mlp.py:convolution >trace
	equal "$(ops '[(.inputs|length),.attrs.padding,.attrs.groups]')" \
	    '[2,[1,1],1]'
	sf_torch dispatch -d cpu mlp.py:batch_norm >trace
	equal "$(ops 'select(.name|test("batch_norm")).inputs|map(.!=null)')" \
	    '[true,false,false,true,true]'
}

@test "a size that depends on data is known on real tensors only" {
	need_torch
	program
	run -3 --separate-stderr sf_torch dispatch -d fake-cpu mlp.py:nonzero
	one_line_error
	[[ $stderr == *aten.nonzero* ]]
	sf_torch dispatch -d cpu mlp.py:nonzero >trace
	equal "$(ops 'select(.name=="aten.nonzero").outputs[0].shape')" '[3,1]'
}

# bats test_tags=SF-10
@test "a compiled model returns the same bits, and its region is one operator" {
	need_torch
	program
	export TORCHINDUCTOR_CACHE_DIR=$BATS_TEST_TMPDIR/cache
	sf_torch dispatch -d cpu mlp.py:bits >trace
	mv out.pt under.pt
	"$python" -c 'import mlp; mlp.bits()()'
	"$python" -c 'import torch
assert torch.equal(torch.load("out.pt"), torch.load("under.pt"))'
	equal "$(ops .name | grep -c '^"higher_order.inductor_compiled_code"$')" 1
}

@test "a program that fails is status 3, one line, and no trace" {
	need_torch
	program
	for function in raises leaves interrupts odd number absent; do
		run -3 --separate-stderr sf_torch dispatch mlp.py:$function
		equal "$output" ""
		one_line_error
		[[ $stderr == "sf-torch: mlp.py:"* ]]
	done
	run -3 --separate-stderr sf_torch dispatch mlp.py:raises
	equal "$stderr" "sf-torch: mlp.py:raises: ValueError: no such thing"
}

@test "a callable that only promises to run is refused" {
	need_torch
	program
	for function in generator coroutine; do
		run -3 --separate-stderr sf_torch dispatch mlp.py:$function
		equal "$output" ""
		one_line_error
		[[ $stderr == *"the call gave a $function and ran nothing"* ]]
	done
}

@test "a PyTorch that cannot be imported is status 3 and one line" {
	program
	mkdir -p broken/torch
	echo 'raise OSError("libc10.so: cannot open")' >broken/torch/__init__.py
	for command in dispatch "export -o x" "compile -o x" "onnx -o x"; do
		# shellcheck disable=SC2086 # a command and its option
		PYTHONPATH=broken run -3 --separate-stderr sf-torch $command \
		    mlp.py:mlp
		equal "$output" ""
		equal "$stderr" "sf-torch: PyTorch cannot be imported: OSError: \
libc10.so: cannot open"
	done
}

# A network for a step of training, and what goes wrong with one.
steps() {
	cat >step.py <<-'END'
		import torch
		from torch.nn.functional import cross_entropy

		def net():
		    model = torch.nn.Sequential(
		        torch.nn.Conv2d(2, 4, 3, padding=1), torch.nn.ReLU(),
		        torch.nn.Flatten(), torch.nn.Linear(4 * 36, 5))
		    return model, (torch.zeros(2, 2, 6, 6),)

		def step(kind=None, **rest):
		    model, args = net()
		    wanted = torch.zeros(2, dtype=torch.long)
		    return {"model": model, "args": args,
		            "loss": lambda out: cross_entropy(out, wanted),
		            **({"optimizer": kind(model.parameters(), **rest)}
		               if kind else {})}

		def momentum():
		    return step(torch.optim.SGD, lr=.1, momentum=.9)

		def foreach():
		    return step(torch.optim.AdamW, foreach=True)

		def fused():
		    return step(torch.optim.AdamW, fused=True)

		def given():
		    return {**step(), "optimizer":
		            lambda params: torch.optim.SGD(params, lr=.1)}

		class Lost(torch.nn.Linear):
		    def forward(self, x):
		        out = type("Output", (dict,), {})(y=super().forward(x))
		        out.loss = out["y"].mean()
		        return out

		def lost():
		    return Lost(3, 3), (torch.zeros(2, 3),)

		def frozen():
		    model, args = net()
		    return model.requires_grad_(False), args

		def function():
		    return torch.relu, (torch.zeros(3),)

		def word():
		    return {"model": torch.relu, "optimiser": None}

		def nothing():
		    return {"args": ()}

		def late():
		    model, args = net()
		    return {"model": model, "args": args, "loss": lambda out:
		            cross_entropy(out, torch.zeros(2, dtype=torch.long))}
	END
}

# The FLOPs of each phase of the trace in the file, with its operators.
phases() {
	sf-rules trace | jq -sc 'map(select(.kind=="op")) | group_by(.phase) |
	    map({key: .[0].phase, value: (map(.flops) | add)}) | from_entries'
}

@test "a step of training is forward, backward and optimiser, in that order" {
	need_torch
	steps
	# 2 x 4 x 36 outputs of 18 and a bias, as many rectified; 10 of 144 and
	# a bias; the softmax 5 x 10, the loss its 10.
	forward=$((2*288*18 + 288 + 288 + 2*10*144 + 10 + 50 + 10))
	# Loss, softmax, the linear layer's two products and its bias; the
	# rectifier; the convolution's weight and bias, and no gradient of the
	# input.
	backward=$((10 + 50 + 2*2*10*144 + 10 + 288 + 2*288*18 + 288))
	params=$((4*18 + 4 + 5*144 + 5))
	sf_torch train -m net -d cpu step.py:given >trace
	"$ROOT/tests/law.py" --strict <trace
	equal "$(jq -r 'select(.kind=="op").phase' trace | uniq | xargs)" \
	    "forward backward optimizer"
	equal "$(phases)" \
	    "{\"backward\":$backward,\"forward\":$forward,\"optimizer\":$params}"
	equal "$(jq -c 'select(.kind=="trace")|[.model,.route,.params.count]' trace)" \
	    "[\"net\",\"dispatch\",$params]"
	# Each parameter is written by the optimiser under its own name.
	equal "$(jq -r 'select(.phase=="optimizer").outputs[]?.tid' trace |
	    grep -v '^t' | xargs)" "0.weight 0.bias 3.weight 3.bias"
}

@test "a step is the same on meta, on fake and on real tensors" {
	need_torch
	steps
	for device in meta fake-cpu cpu; do
		sf_torch train -d $device step.py:step >trace
		phases >$device
		ops '[.name,.phase,(.outputs|map(.shape?))]' |
		    grep -v 'prim\.\|detach\|lift' >$device.ops
	done
	cmp meta cpu
	cmp fake-cpu cpu
	cmp meta.ops cpu.ops
}

@test "what an optimiser does does not depend on how it is put together" {
	need_torch
	steps
	sf_torch train -d cpu step.py:step >trace
	single=$(phases | jq .optimizer)
	sf_torch train -d cpu step.py:foreach >trace
	equal "$(phases | jq .optimizer)" "$single"
	# Eight operators an element, and the step counted up for each of four.
	equal "$single" $((8*801 + 4))
}

@test "--skip records a later step, which has its buffers" {
	need_torch
	steps
	sf_torch train step.py:momentum >trace
	equal "$(phases | jq .optimizer)" 801
	ops 'select(.phase=="optimizer").name' | grep -q clone
	sf_torch train --skip 1 step.py:momentum >trace
	equal "$(phases | jq .optimizer)" $((3*801))
	ops 'select(.phase=="optimizer").name' >names
	refute grep clone names
}

@test "an output that has a loss has it for the step" {
	need_torch
	steps
	sf_torch train step.py:lost >trace
	ops 'select(.phase=="forward").name' | grep -q aten.mean
}

@test "a step that cannot be is status 3 and says what was expected" {
	need_torch
	steps
	while read -r function text; do
		run -3 --separate-stderr sf_torch train step.py:$function
		equal "$output" ""
		one_line_error
		[[ $stderr == "sf-torch: step.py:$function: "*"$text"* ]]
	done <<-'END'
		frozen found no parameter that wants a gradient
		function expected an 'optimizer' beside it
		word found 'optimiser' in the dict that is returned, expected of: model,
		nothing a dict with a callable 'model'
		late make it in the function, or say --device fake-cpu
	END
	sf_torch dispatch step.py:step >trace
	equal "$(ops .phase | sort -u)" null
}

# Modules that are nested, run twice, in a Sequential, and beside each other.
modules() {
	cat >nested.py <<-'END'
		import torch
		from torch.utils.checkpoint import checkpoint

		class Block(torch.nn.Module):
		    def __init__(self):
		        super().__init__()
		        self.seq = torch.nn.Sequential(
		            torch.nn.Linear(4, 4), torch.nn.ReLU())
		        self.norm = torch.nn.LayerNorm(4)
		    def forward(self, x):
		        y = self.norm(x) * 2
		        return torch.nn.functional.gelu(self.seq(y)) + x

		class Net(torch.nn.Module):
		    def __init__(self):
		        super().__init__()
		        self.one = Block()
		        self.layers = torch.nn.ModuleList([Block(), self.one])
		        self.head = torch.nn.Linear(4, 2)
		    def forward(self, x):
		        for layer in self.layers:
		            x = layer(x)
		        torch.arange(3)
		        return checkpoint(self.head, x, use_reentrant=False).sum()

		def net():
		    return Net(), (torch.zeros(2, 4),)

		def method():
		    model, args = net()
		    return model.forward, args

		def enclosed():
		    model, (x,) = net()
		    return lambda: model(x) + 1

		class Holder:
		    def __init__(self):
		        self.model = net()[0]
		    def __call__(self, x):
		        return self.model(x)

		def held():
		    return Holder(), (torch.zeros(2, 4),)

		def several():
		    a, b = torch.nn.Linear(4, 4), torch.nn.Sequential(
		        torch.nn.Linear(4, 4))
		    return lambda x: a(b(x)) * 2, (torch.zeros(2, 4),)
	END
}

@test "an operator says the innermost module that runs, by the model's name of it" {
	need_torch
	modules
	# What is run a second time is what it is called first.
	for block in layers.0 one; do
		printf '%s\n' "$block.norm" "$block" "$block.seq.0" "$block.seq.1" \
		    "$block"
	done >want
	printf '%s\n' null head null >>want
	for device in meta fake-cpu cpu; do
		sf_torch dispatch -d $device nested.py:net >trace
		"$ROOT/tests/law.py" --strict <trace
		jq -r 'select(.kind == "op").module' trace | uniq | diff want -
	done
	# However the model is handed over.
	for function in method held; do
		sf_torch dispatch nested.py:$function >trace
		jq -r 'select(.kind == "op").module' trace | uniq | diff want -
	done
	sf_torch dispatch nested.py:enclosed >trace
	jq -r 'select(.kind == "op").module' trace | uniq | diff want -
	sf_torch dispatch nested.py:several >trace
	equal "$(jq -r 'select(.kind == "op").module' trace | uniq | xargs)" \
	    "b.0 a null"
}

@test "an operator of a backward pass is of the module that it is the gradient of" {
	need_torch
	modules
	sf_torch train nested.py:net >trace
	# Each product of a linear layer twice, of its input and of its weight.
	equal "$(jq -r 'select(.phase == "backward" and .name == "aten.mm").module' \
	    trace | uniq -c | tr -s ' ' | xargs)" \
	    "2 head 2 one.seq.0 2 layers.0.seq.0"
	equal "$(jq -r 'select(.phase == "backward" and
	    (.name | test("gelu_|norm_back"))) | .name, .module' trace | xargs)" \
	    "aten.gelu_backward one aten.native_layer_norm_backward one.norm \
aten.gelu_backward layers.0 aten.native_layer_norm_backward layers.0.norm"
	equal "$(jq -r 'select(.phase == "optimizer").module' trace | sort -u)" null
}

# Models that not every device can build or run.
devices() {
	cat >where.py <<-'END'
		import torch

		class Rates(torch.nn.Module):
		    def __init__(self):
		        super().__init__()
		        self.rates = torch.linspace(0, 1, 4, device="cpu").tolist()
		        self.first = torch.nn.Linear(3, 3)
		        self.second = torch.nn.Linear(3, 3)
		        self.second.weight = self.first.weight
		        self.register_buffer("shift", torch.zeros(3))
		        self.more = [torch.ones(3)]
		    def forward(self, x):
		        return self.second(self.first(x)) + self.shift + self.more[0]

		def rates():
		    return Rates(), (torch.zeros(2, 3),)

		def closure():
		    model, (x,) = rates()
		    return lambda: model(x)

		def step():
		    model, args = rates()
		    return {"model": model, "args": args,
		            "optimizer": torch.optim.SGD(model.parameters(), lr=.1)}

		class Item(torch.nn.Module):
		    def forward(self, x):
		        return x * x.sum().item()

		def item():
		    return Item(), (torch.zeros(3),)
	END
}

@test "what fake tensors cannot build is built on meta and moved" {
	need_torch
	devices
	for device in meta fake-cpu cpu; do
		sf_torch dispatch -d $device where.py:rates >trace
		ops '[.name,.inputs,.outputs]' | grep -v prim. >$device
	done
	cmp fake-cpu cpu
	cmp fake-cpu meta
	equal "$(jq -c 'select(.kind=="trace").params' trace)" \
	    '{"count":15,"bytes":60}'
	sf_torch dispatch -d fake-cpu where.py:rates >trace
	# The operators are those of a CPU: nothing of it is left on meta.
	ops .name | grep -q prim.device
	sf_torch dispatch -d fake-cpu where.py:closure >trace
	equal "$(ops .name | grep -c addmm)" 2
	# The optimiser's parameters are moved with the model's.
	sf_torch train -d fake-cpu where.py:step >trace
	equal "$(jq -r 'select(.phase=="optimizer").outputs[]?.tid' trace |
	    xargs)" "first.weight first.bias second.bias"
	sf_torch export -d fake-cpu -o rates.pt2 where.py:rates
}

@test "where contents are asked for, the line says which device has them" {
	need_torch
	devices
	run -3 --separate-stderr sf_torch dispatch where.py:item
	one_line_error
	[[ $stderr == *"cannot be called on meta tensors; "*"--device fake-cpu"* ]]
	run -3 --separate-stderr sf_torch dispatch -d fake-cpu where.py:item
	one_line_error
	[[ $stderr == *"--device cpu"* ]]
	sf_torch dispatch -d cpu where.py:item >trace
	equal "$(ops .name | xargs)" "aten.sum aten._local_scalar_dense aten.mul"
}

@test "an archive is written of any device, with parameters, buffers and ties" {
	need_torch
	devices
	for device in meta fake-cpu cpu; do
		# As it is exported, too: what is saved is the same.
		sf_torch export -d $device ${raw-} -o $device.pt2 where.py:rates
		raw=--raw
	done
	"$python" -c 'import torch
for device in ("meta", "fake-cpu", "cpu"):
    program = torch.export.load(device + ".pt2")
    names = [str(n.target) for n in program.graph.nodes]
    assert sum("addmm" in n or "linear" in n for n in names) == 2, names
    assert set(program.graph_signature.parameters) == {
        "first.weight", "first.bias", "second.weight", "second.bias"}'
}

@test "an export that cannot be decomposed is written raw" {
	need_torch
	program
	run -3 --separate-stderr sf_torch export -o a.pt2 mlp.py:undecomposed
	one_line_error
	[[ $stderr == *"which --raw leaves out: ValueError: no such strides" ]]
	[ ! -e a.pt2 ]
	sf_torch export --raw -o a.pt2 mlp.py:undecomposed
	[ -s a.pt2 ]
}

@test "compile says how many graphs and breaks there were, and none is an error" {
	need_torch
	cat >graphs.py <<-'END'
		import torch

		def one():
		    return torch.nn.Linear(4, 4), (torch.zeros(2, 4),)

		def two():
		    def call(x):
		        x = x + 1
		        torch._dynamo.graph_break()
		        return x * 2
		    return call, (torch.zeros(3),)

		def none():
		    return lambda: 3

		def skipped():
		    return torch.zeros(3).sum
	END
	run -0 --separate-stderr sf_torch compile -o log graphs.py:one
	equal "$output" ""
	equal "$stderr" "sf-torch: graphs.py:one: 1 graph, 0 graph breaks"
	equal "$(cat log/* | grep -c '"dynamo_output_graph"')" 1
	run -0 --separate-stderr sf_torch compile -o log2 graphs.py:two
	equal "${stderr_lines[-1]}" \
	    "sf-torch: graphs.py:two: 2 graphs, 1 graph break"
	[[ $stderr == "sf-torch: graphs.py:two: graph break, 1 time: "* ]]
	equal "$(cat log2/* | grep -c '"dynamo_output_graph"')" 2
	for function in none skipped; do
		run -3 --separate-stderr sf_torch compile -o log3 \
		    graphs.py:$function
		equal "$output" ""
		[[ ${stderr_lines[-1]} == "sf-torch: graphs.py:$function: 0 graphs, "[01]" graph break"* ]]
	done
}

@test "--verbose says what is being done, and the trace stays the same" {
	need_torch
	program
	sf_torch dispatch mlp.py:mlp >quiet
	run -0 --separate-stderr sf_torch dispatch -v mlp.py:mlp
	echo "$stderr"
	equal "$(sed 's/: [0-9]* operators/: N operators/' <<<"$stderr")" \
	    "sf-torch: importing PyTorch
sf-torch: building mlp
sf-torch: running
sf-torch: N operators
sf-torch: writing 6 operators"
	equal "$(sed 's/"--verbose",//' <<<"$output")" "$(cat quiet)"
}

@test "an error's colours stay out of the line" {
	echo 'raise ValueError("\x1b[96mcyan\x1b[0m \x07bell")' >mlp.py
	mkdir -p stub/torch
	: >stub/torch/__init__.py
	PYTHONPATH=stub run -3 --separate-stderr sf-torch export -o x mlp.py:f
	equal "$stderr" "sf-torch: mlp.py: ValueError: cyan bell"
}

@test "a trace that cannot be written is status 4" {
	need_torch
	program
	run -4 --separate-stderr bash -c \
	    "'$python' '$SF_BIN/sf-torch' dispatch mlp.py:mlp >/dev/full"
	one_line_error
	run -4 --separate-stderr sf_torch export -o absent/mlp.pt2 mlp.py:mlp
	one_line_error
}

@test "a file that cannot be written whole leaves the old one, and nothing beside it" {
	need_torch
	program
	mkdir at
	for command in export onnx; do
		echo old >at/file
		run -4 --separate-stderr bash -c "ulimit -f 1 &&
		    '$python' '$SF_BIN/sf-torch' $command -o at/file mlp.py:mlp"
		one_line_error
		equal "$(cat at/file)" old
		equal "$(ls -A at)" file
	done
	ln -s at/file link
	sf_torch export -o link mlp.py:mlp
	[ -L link ]
	[ "$(stat -c %s at/file)" -gt 100 ]
	equal "$(ls -A at)" file
}

@test "a signal at any moment leaves the old files or the new, and nothing beside them" {
	run -0 "$ROOT/tests/torch-ended.py" "$SF_BIN/sf-torch"
	[[ $output == *" signals, 0 wrong" ]]
}

@test "export, compile and onnx write the files of PyTorch" {
	need_torch
	program
	sf_torch export -o mlp.pt2 mlp.py:mlp
	unzip -l mlp.pt2 2>/dev/null | grep -q models/ ||
	    python3 -m zipfile -l mlp.pt2 | grep -q models/
	sf_torch compile -o log mlp.py:mlp
	grep -q '"aot_inference_graph"' log/*
	"$python" -c 'import onnxscript' 2>/dev/null || skip "no onnxscript"
	sf_torch onnx -o mlp.onnx mlp.py:mlp
	sf-onnx mlp.onnx | sf-rules >trace
	# 64 x 128 + 128 + 2 x 128 + 128 x 8 + 8 parameters of four bytes.
	equal "$(sf-report --format json trace | jq -c '[.params.count,.weight_bytes]')" \
	    '[9608,38432]'
}
