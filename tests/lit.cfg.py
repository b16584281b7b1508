# Tests of text in, text out: tile-opt and tilewright on small inputs, checked by FileCheck.
import os

import lit.formats

config.name = "tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = [".mlir", ".tile", ".test"]
# Folders with tests of another kind: each has a CMakeLists.txt of its own.
config.excludes = ["api", "benchmarks", "fuzz", "gpu", "presubmit", "semantics", "unit", "Inputs"]

config.environment["PATH"] = os.pathsep.join([config.tilewright_tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
config.environment["TILEWRIGHT_CACHE_DIR"] = "off"
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=error"
config.substitutions.append(("%source", config.tilewright_source_root))
config.substitutions.append(("%python", config.python))
