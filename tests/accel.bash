# For suites that simulate an accelerator.

# relu I IN OUT READ WRITTEN FLOPS - a counted operator of the vector unit.
relu() {
	printf '{"kind":"op","i":%d,"name":"aten.relu","inputs":[{"tid":"%s","shape":[1],"dtype":"f32","itemsize":4}],"outputs":[{"tid":"%s","shape":[1],"dtype":"f32","itemsize":4}],"category":"elementwise","flops":%d,"bytes_read":%d,"bytes_written":%d,"weight_bytes":0}' \
	    "$1" "$2" "$3" "$6" "$4" "$5"
}

# figure FILTER - of the summary on standard input.
figure() {
	jq -rc 'select(.kind=="summary")|'"$1"
}
