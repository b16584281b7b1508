"""Whether the programs and libraries in a folder run on another Linux machine: what `readelf` says of them.

They may need the C and C++ libraries as Ubuntu 22.04 has them (Debian 12, 13 and Ubuntu 24.04 have newer ones), and what lies in the
folder itself, found from where they stand.
"""

import os
import re
import subprocess

SYSTEM_LIBRARIES = r"lib(c|m)\.so\.6|libstdc\+\+\.so\.6|libgcc_s\.so\.1|ld-linux-(x86-64\.so\.2|aarch64\.so\.1)"
NEWEST = {"GLIBC": (2, 35), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}


def readelf(path):
    """What the checks read: segments, sections, the dynamic section, the versions of symbols."""
    return subprocess.run(["readelf", "--wide", "-l", "-S", "-d", "-V", path], capture_output=True, text=True, check=True,
                          env=dict(os.environ, LC_ALL="C")).stdout


def is_elf(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def faults_of_file(path, output, files):
    """`path` is relative to the folder, `files` all paths in it, `output` what readelf printed."""
    run_paths = []
    for tag, value in re.findall(r"\((RUNPATH|RPATH)\)\s+Library (?:runpath|rpath): \[(.*)\]", output):
        if tag == "RPATH":
            yield "has an RPATH, which comes before LD_LIBRARY_PATH, expected RUNPATH"
        for folder in value.split(":"):
            if not re.match(r"\$ORIGIN(/|$)", folder):
                yield f"looks for libraries in `{folder}`, expected a place relative to $ORIGIN"
                continue
            place = os.path.normpath(os.path.join(os.path.dirname(path), "." + folder.removeprefix("$ORIGIN")))
            if place.startswith(".."):
                yield f"looks for libraries in {folder}, outside the archive"
            run_paths.append(place)

    for library in re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", output):
        if not re.fullmatch(SYSTEM_LIBRARIES, library):
            if not any(os.path.normpath(os.path.join(place, library)) in files for place in run_paths):
                yield f"needs {library}, which is neither of the C and C++ libraries nor where its RUNPATH leads"

    needed_versions = output.partition("Version needs section")[2]
    for name in sorted(set(re.findall(r"Name: (\S+)", needed_versions))):
        family, _, number = name.partition("_")
        if family not in NEWEST:
            continue
        if not re.fullmatch(r"[0-9.]+", number):
            yield f"needs {name}, which Ubuntu 22.04 lacks"
        elif tuple(map(int, number.split("."))) > NEWEST[family]:
            yield f"needs {name}, but Ubuntu 22.04 ends at {family}_{'.'.join(map(str, NEWEST[family]))}"

    if re.search(r"\((RELR|TEXTREL)\)", output):
        yield "has relocations (RELR or TEXTREL) that glibc 2.35 does not do"
    if re.search(r"GNU_STACK .* RWE", output):
        yield "asks for an executable stack"
    if re.search(r"\] \.symtab ", output):
        yield "is not stripped"


def faults(root, source_folder):
    """(number of programs and libraries, what is wrong)"""
    files = {os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names}
    programs = sorted(path for path in files if is_elf(os.path.join(root, path)))
    found = []
    for path in programs:
        found += [f"{path} {fault}" for fault in faults_of_file(path, readelf(os.path.join(root, path)), files)]
        with open(os.path.join(root, path), "rb") as file:
            if source_folder.encode() in file.read():
                found.append(f"{path} names {source_folder}, where it was built")
    return len(programs), found
