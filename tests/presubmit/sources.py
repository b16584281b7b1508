"""The files of the source tree, for the tests in this folder."""

import os
import re
import subprocess


def files(root):
    """Paths relative to the root: what git knows or would add; without git, everything but build folders."""
    try:
        git = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
        if git.returncode == 0 and git.stdout:
            return sorted(path for path in git.stdout.splitlines() if os.path.isfile(os.path.join(root, path)))
    except FileNotFoundError:
        pass
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def text(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def includes(root, path):
    """(line number, included path) of each #include, and of each TableGen include."""
    for number, line in enumerate(text(root, path).splitlines(), 1):
        match = re.match(r'\s*(?:#\s*)?include\s+["<]([^">]+)[">]', line)
        if match:
            yield number, match.group(1)
