// RUN: tile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{has 1 arguments, but 0 names}}
"tile.kernel"() <{sym_name = "kernel_c1_count", names = [], dimensions = 0 : i64}> ({
^bb0(%a: f32):
}) : () -> ()

// -----

// expected-error @below {{has two arguments with the name "a"}}
"tile.kernel"() <{sym_name = "kernel_c1_twice", names = ["a", "a"], dimensions = 0 : i64}> ({
^bb0(%a: f32, %b: f32):
}) : () -> ()

// -----

// expected-error @below {{expects an argument's name to be an identifier, not "a b"}}
"tile.kernel"() <{sym_name = "kernel_c1_identifier", names = ["a b"], dimensions = 0 : i64}> ({
^bb0(%a: f32):
}) : () -> ()

// -----

// expected-error @below {{has 1 arguments, but 2 dimensions}}
tile.kernel @kernel_c2_count(%a: i64) dimensions = 2 {
}

// -----

// expected-error @below {{expects dimension "N" to be an i64, not 'i32'}}
tile.kernel @kernel_c2_type(%N: i32) dimensions = 1 {
}

// -----

// expected-error @below {{expects parameter "a" to be a view or a scalar, not 'index'}}
tile.kernel @kernel_c3(%a: index) dimensions = 0 {
}

// -----

tile.kernel @parallel_c1_type(%N: i64) dimensions = 1 {
  // expected-error @below {{expects its region's first argument to be an i64 or a span over axis "i", not '!tile.span<"j", 4>'}}
  tile.parallel "i" %i : !tile.span<"j", 4> in %N to %N {
  }
}

// -----

tile.kernel @parallel_c1_count(%N: i64) dimensions = 1 {
  // expected-error @below {{expects its region to have one argument, not 2}}
  "tile.parallel"(%N, %N) <{axis = "i"}> ({
  ^bb0(%i: i64, %j: i64):
    tile.yield
  }) : (i64, i64) -> ()
}

// -----

tile.kernel @parallel_c2(%N: i64) dimensions = 1 {
  // expected-note @below {{the other one is here}}
  tile.parallel "i" %i : !tile.span<"i", 4> in %N to %N {
    // expected-error @below {{makes axis "i", which an enclosing operation makes too}}
    tile.parallel "i" %j : !tile.span<"i", 4> in %N to %N {
    }
  }
}

// -----

tile.kernel @parallel_c3(%N: i64) dimensions = 1 {
  // expected-error @below {{expects its region to yield nothing, not 1 values}}
  tile.parallel "i" %i : i64 in %N to %N {
    tile.yield %i : i64
  }
}

// -----

// A grid variable is part of the grid: it stands in a kernel or under another one.
func.func @parallel_c4(%N: i64) {
  // expected-error @below {{expects to stand in a tile.kernel or a tile.parallel}}
  tile.parallel "i" %i : i64 in %N to %N {
  }
  return
}

// -----

func.func @for_c1(%N: i64) {
  // expected-error @below {{expects its region's first argument to be an i64 or a span over axis "i", not 'i32'}}
  tile.for "i" %i : i32 in %N to %N {
  }
  return
}

// -----

func.func @for_c2(%N: i64) {
  // expected-note @below {{the other one is here}}
  tile.for "i" %i : i64 in %N to %N {
    // expected-error @below {{makes axis "i", which an enclosing operation makes too}}
    tile.for "i" %j : i64 in %N to %N {
    }
  }
  return
}

// -----

// One loop after another may make the same axis: their tiles never meet.
func.func @for_c2_sequence(%N: i64) {
  tile.for "i" %i : i64 in %N to %N {
  }
  tile.for "i" %i : i64 in %N to %N {
  }
  return
}

// -----

func.func @for_c3_yield(%N: i64, %a: f32) {
  // expected-error @below {{carries ('f32'), but its yielded values are ('i64')}}
  %r = tile.for "i" %i : i64 in %N to %N carries (%b = %a) : f32 {
    tile.yield %i : i64
  }
  return
}

// -----

func.func @for_c3_arguments(%N: i64, %a: f32) {
  // expected-error @below {{carries ('f32'), but its region's arguments are ('f64')}}
  %r = "tile.for"(%N, %N, %a) <{axis = "i"}> ({
  ^bb0(%i: i64, %b: f64):
    tile.yield %a : f32
  }) : (i64, i64, f32) -> f32
  return
}

// -----

func.func @for_c3_results(%N: i64, %a: f32) {
  // expected-error @below {{carries ('f32'), but its results are ('f64')}}
  %r = "tile.for"(%N, %N, %a) <{axis = "i"}> ({
  ^bb0(%i: i64, %b: f32):
    tile.yield %b : f32
  }) : (i64, i64, f32) -> f64
  return
}
