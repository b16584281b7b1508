// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{axis "i" occurs twice}}
func.func private @axes_c1_twice(tensor<2x2xf32, #tile.axes<"i", "i">>)

// -----

// expected-error @below {{an axis needs a name}}
func.func private @axes_c1_empty(tensor<2xf32, #tile.axes<"">>)

// -----

// expected-error @below {{a tile with 2 axes has as many dimensions, not 1}}
func.func private @axes_c2_rank(tensor<2xf32, #tile.axes<"i", "j">>)

// -----

// expected-error @below {{axis "i" needs a static extent}}
func.func private @axes_c2_dynamic(tensor<?xf32, #tile.axes<"i">>)

// -----

// expected-error @below {{axis "i" needs an extent of at least 1, not 0}}
func.func private @axes_c2_zero(tensor<0xf32, #tile.axes<"i">>)

// -----

// expected-error @below {{a tile cannot have elements of type 'i4'}}
func.func private @axes_c3(tensor<2xi4, #tile.axes<"i">>)

// -----

// expected-error @below {{a span's axis needs a name}}
func.func private @span_c1(!tile.span<"", 4>)

// -----

// expected-error @below {{a span needs a capacity of at least 1, not 0}}
func.func private @span_c2(!tile.span<"i", 0>)

// -----

// expected-error @below {{a view cannot have elements of type 'i1' (bool is stored as i8)}}
func.func private @view_c1(!tile.view<element = i1, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 1>)

// -----

// expected-error @below {{a view has 1 to 5 dimensions, not 0}}
func.func private @view_c2_none(!tile.view<element = f32, dims = [], access = in, unit_stride = -1, pack_rank = 1, alignment = 4>)

// -----

// expected-error @below {{a dimension's name must be a string, not 3 : i64}}
func.func private @view_c2_string(!tile.view<element = f32, dims = [3], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>)

// -----

// expected-error @below {{a view has at most one pack, not 2}}
func.func private @view_c2_packs(!tile.view<element = f32, dims = ["M...", "N..."], access = in, unit_stride = 0, pack_rank = 1, alignment = 4>)

// -----

// expected-error @below {{unit_stride is a dimension of 1 or -1, not 1}}
func.func private @view_c3(!tile.view<element = f32, dims = ["N"], access = in, unit_stride = 1, pack_rank = 1, alignment = 4>)

// -----

// expected-error @below {{pack_rank is 1 to 5, and 1 without a pack, not 2}}
func.func private @view_c4(!tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 2, alignment = 4>)

// -----

// expected-error @below {{alignment is a power of two, not 12}}
func.func private @view_c5(!tile.view<element = f32, dims = ["N"], access = in, unit_stride = 0, pack_rank = 1, alignment = 12>)

// -----

// expected-error @below {{a tile has at least one axis; without axes it is a scalar}}
func.func private @axes_c1_none(tensor<2xf32, #tile.axes<>>)

// -----

// expected-error @below {{expected an axis in quotes, or layout = an attribute}}
func.func private @axes_unquoted(tensor<2xf32, #tile.axes<i>>)

// -----

// The layout stands at the end.
// expected-error @below {{expected '>' after the layout of a tile}}
func.func private @axes_after_layout(tensor<2xf32, #tile.axes<layout = "any", "i">>)
