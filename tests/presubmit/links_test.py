"""What the pages name is there: the targets of their links, and every path in backquotes that begins with a folder of the source
tree. Usage: links_test.py ROOT
"""

import glob
import os
import re
import sys

import sources

FOLDERS = ("autotune", "compiler", "dialects", "docs", "examples", "runtime", "scripts", "tests")


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def faults_of_page(root, page):
    text = without_blocks(sources.text(root, page))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", re.sub(r"`[^`]*`", "", text)):
        if not re.match(r"\w+:", target) and not os.path.exists(os.path.join(root, os.path.dirname(page), target)):
            yield f"{page}: the link to {target} leads nowhere"
    for path in re.findall(rf"`((?:{'|'.join(FOLDERS)})/[^`\s]*)`", text):
        if not glob.glob(os.path.join(root, path)):
            yield f"{page}: there is no {path}"


def main(root):
    pages = [path for path in sources.files(root) if path.endswith(".md")]
    found = [fault for page in pages for fault in faults_of_page(root, page)]
    print("\n".join(found) or f"what {len(pages)} pages name is there")
    return 1 if found or len(pages) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
