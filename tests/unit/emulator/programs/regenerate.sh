#!/bin/sh
# Compiles the .cu files here to the .ptx beside them. The tests read the PTX text and need no CUDA; this needs nvcc 13.
set -e
cd "$(dirname "$0")"
for source in *.cu; do
  "${NVCC:-nvcc}" -arch=sm_80 -lineinfo -ptx -o "${source%.cu}.ptx" "$source"
  sed -i 's|\(\.file\t[0-9]* "\).*/|\1|' "${source%.cu}.ptx"
done
