"""The checks of portable.py find what they are there to find, in output of readelf as it is printed."""

import sys

import portable

GOOD = """
  GNU_STACK      0x000000 0x0000000000000000 0x0000000000000000 0x000000 0x000000 RW  0
  [13] .text             PROGBITS        00000000003caa40 2caa40 29b1a82 00  AX  0   0 64
 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../lib]
 0x0000000000000001 (NEEDED)             Shared library: [libtbb.so.12]
 0x0000000000000001 (NEEDED)             Shared library: [libstdc++.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libm.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [ld-linux-x86-64.so.2]
Version definition section '.gnu.version_d' contains 2 entries:
  0x001c: Rev: 1  Flags: none   Index: 2  Cnt: 1  Name: GLIBC_9.9
Version needs section '.gnu.version_r' contains 2 entries:
  0x0000: Version: 1  File: libc.so.6  Cnt: 3
  0x0010:   Name: GLIBC_2.35  Flags: none  Version: 5
  0x0020:   Name: GLIBCXX_3.4.30  Flags: none  Version: 6
  0x0030:   Name: GLIBC_2.2.5  Flags: none  Version: 7
  0x0040:   Name: QT_99  Flags: none  Version: 8
"""
FILES = {"bin/tilewright", "lib/libtbb.so.12"}

# (what is replaced, by what, a part of the one fault that it must give)
BREAKAGES = [
    ("GLIBC_2.35", "GLIBC_2.36", "needs GLIBC_2.36"),
    ("GLIBC_2.35", "GLIBC_ABI_DT_RELR", "needs GLIBC_ABI_DT_RELR"),
    ("GLIBCXX_3.4.30", "GLIBCXX_3.4.31", "needs GLIBCXX_3.4.31"),
    ("GLIBC_2.2.5", "GLIBC_2.100", "needs GLIBC_2.100"),
    ("libm.so.6", "libz.so.1", "needs libz.so.1"),
    ("$ORIGIN/../lib", "$ORIGIN/../lib:/usr/lib/llvm-22/lib", "`/usr/lib/llvm-22/lib`"),
    ("$ORIGIN/../lib", "$ORIGIN/../lib:", "``"),
    ("$ORIGIN/../lib", "$ORIGIN/../lib:$ORIGIN/../../lib", "outside the archive"),
    ("$ORIGIN/../lib", "$ORIGIN", "needs libtbb.so.12"),
    ("(RUNPATH)            Library runpath", "(RPATH)              Library rpath", "has an RPATH"),
    ("RW  0", "RWE 0", "executable stack"),
    (".text    ", ".symtab  ", "not stripped"),
    ("(NEEDED)             Shared library: [libm.so.6]", "(RELR)  0x1c", "RELR"),
]


def main():
    wrong = [f"a good file: {fault}" for fault in portable.faults_of_file("bin/tilewright", GOOD, FILES)]
    for old, new, expected in BREAKAGES:
        assert GOOD.count(old) >= 1, old
        found = list(portable.faults_of_file("bin/tilewright", GOOD.replace(old, new), FILES))
        if len(found) != 1 or expected not in found[0]:
            wrong.append(f"{new}: expected one fault with `{expected}`, found {found}")
    print("\n".join(wrong) or f"{len(BREAKAGES)} faults are found, and none in a good file")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
