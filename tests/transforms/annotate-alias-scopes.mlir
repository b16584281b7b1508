// RUN: tile-opt %s --annotate-alias-scopes --split-input-file | FileCheck %s

// Two views, each behind an address from the argument slots, get scopes of their own that exclude each other.
// CHECK-DAG: #[[$X:.*]] = #llvm.alias_scope<id = distinct{{.*}}, domain = {{.*}}, description = "buffer0">
// CHECK-DAG: #[[$Y:.*]] = #llvm.alias_scope<id = distinct{{.*}}, domain = {{.*}}, description = "buffer1">
// CHECK-LABEL: llvm.func @views
llvm.func @views(%x: i64, %y: i64) {
  %px = llvm.inttoptr %x : i64 to !llvm.ptr
  %py = llvm.inttoptr %y : i64 to !llvm.ptr
  // CHECK: llvm.load {{.*}} {alias_scopes = [#[[$X]]], noalias_scopes = [#[[$Y]]]}
  %v = llvm.load %px : !llvm.ptr -> f32
  // CHECK: llvm.store {{.*}} {alias_scopes = [#[[$Y]]], noalias_scopes = [#[[$X]]]}
  llvm.store %v, %py : f32, !llvm.ptr
  llvm.return
}

// -----

// An address that comes through a block argument has no known buffer: it keeps no annotation.
// CHECK-LABEL: llvm.func @unknown
llvm.func @unknown(%x: i64, %y: i64, %c: i1) {
  %px = llvm.inttoptr %x : i64 to !llvm.ptr
  %py = llvm.inttoptr %y : i64 to !llvm.ptr
  llvm.cond_br %c, ^use(%px : !llvm.ptr), ^use(%py : !llvm.ptr)
^use(%p: !llvm.ptr):
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
  %v = llvm.load %p : !llvm.ptr -> f32
  llvm.return
}

// -----

// One slot read twice is one view: a load and a store through both get the same scope.
// CHECK-DAG: #[[$SLOTS:.*]] = #llvm.alias_scope<id = distinct{{.*}}, domain = {{.*}}, description = "buffer0">
// CHECK-DAG: #[[$VIEW:.*]] = #llvm.alias_scope<id = distinct{{.*}}, domain = {{.*}}, description = "buffer1">
// CHECK-LABEL: llvm.func @same_slot
llvm.func @same_slot(%arguments: !llvm.ptr) {
  %slot = llvm.getelementptr %arguments[4] : (!llvm.ptr) -> !llvm.ptr, i64
  %a = llvm.load %slot : !llvm.ptr -> i64
  %b = llvm.load %slot : !llvm.ptr -> i64
  %pa = llvm.inttoptr %a : i64 to !llvm.ptr
  %pb = llvm.inttoptr %b : i64 to !llvm.ptr
  // CHECK: llvm.load {{.*}} {alias_scopes = [#[[$VIEW]]], noalias_scopes = [#[[$SLOTS]]]} : !llvm.ptr -> f32
  %v = llvm.load %pa : !llvm.ptr -> f32
  // CHECK: llvm.store {{.*}} {alias_scopes = [#[[$VIEW]]], noalias_scopes = [#[[$SLOTS]]]} : f32
  llvm.store %v, %pb : f32, !llvm.ptr
  llvm.return
}

// -----

// Scratch buffers are told apart by their constant offset.
// CHECK-LABEL: llvm.func @scratch
llvm.func @scratch(%scratch: !llvm.ptr) {
  %a = llvm.getelementptr %scratch[0] : (!llvm.ptr) -> !llvm.ptr, i8
  %b = llvm.getelementptr %scratch[4096] : (!llvm.ptr) -> !llvm.ptr, i8
  // CHECK: llvm.load {{.*}} {alias_scopes = [#[[A:.*]]], noalias_scopes = [#[[B:.*]]]} : !llvm.ptr -> f32
  %v = llvm.load %a : !llvm.ptr -> f32
  // CHECK: llvm.store {{.*}} {alias_scopes = [#[[B]]], noalias_scopes = [#[[A]]]} : f32
  llvm.store %v, %b : f32, !llvm.ptr
  llvm.return
}
