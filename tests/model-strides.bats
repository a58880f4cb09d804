# The strides that decide between a view and a copy.

load helpers

@test "views and elementwise results have the strides that PyTorch gave them" {
	run -0 "$SF_UNIT/model-stride"
	equal "$output" ""
}
