#!/bin/sh
# Compiles the .cu and .c files here to the .ptx beside them. The tests read the PTX text and need neither compiler; this needs nvcc 13
# and clang 22.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
  "${NVCC:-nvcc}" -arch=sm_80 -lineinfo -ptx -o "${source%.cu}.ptx" "$source"
  sed -i 's|\(\.file\t[0-9]* "\).*/|\1|' "${source%.cu}.ptx"
done
"${CLANG:-clang-22}" --target=nvptx64-nvidia-cuda -march=sm_80 -O2 -g1 -fno-caret-diagnostics -S -o from_llvm.ptx from_llvm.c
sed -i 's|\(\.file\t[0-9]* "\).*/|\1|; s|\.file\([ \t]*[0-9]*\) ".*" \(".*"\)|.file\1 \2|; s|, debug$||' from_llvm.ptx
