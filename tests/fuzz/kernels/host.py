"""Calls libtilewright through its C interface (runtime_c.h), so that one process compiles and runs thousands of kernels."""

import ctypes as c

import numpy as np

MAX_RANK = 5
DTYPES = ["", "f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u8", "bool"]


class _Argument(c.Structure):
    _fields_ = [
        ("parameter", c.c_char_p), ("kind", c.c_int32), ("dtype", c.c_int32), ("rank", c.c_int32), ("data", c.c_void_p),
        ("shape", c.c_int64 * MAX_RANK), ("strides", c.c_int64 * MAX_RANK), ("alignment", c.c_int32), ("memory", c.c_int32),
        ("integer", c.c_int64), ("real", c.c_double)
    ]  # fmt: skip


class _Binding(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_char_p)]


class _Dimension(c.Structure):
    _fields_ = [("name", c.c_char_p), ("extent", c.c_int64)]


class _Specialization(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t), ("bindings", c.POINTER(_Binding)), ("binding_count", c.c_size_t),
        ("dimensions", c.POINTER(_Dimension)), ("dimension_count", c.c_size_t), ("target", c.c_char_p), ("schedule", c.c_char_p),
        ("checked", c.c_int32), ("remarks", c.c_int32)
    ]  # fmt: skip


class _ContextOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_size_t), ("compiler_library", c.c_char_p), ("threads", c.c_int32), ("cache_directory", c.c_char_p),
        ("log", c.c_void_p), ("log_user", c.c_void_p), ("log_level", c.c_int32), ("report", c.c_void_p), ("report_user", c.c_void_p),
        ("colour", c.c_int32), ("cache_bytes", c.c_int64), ("target", c.c_char_p)
    ]  # fmt: skip


class Failure(Exception):
    """A status that is not TW_OK: `status` is its name."""

    def __init__(self, status, message, diagnostics):
        super().__init__(f"{status}: {message}" + (f"\n{diagnostics}" if diagnostics and diagnostics != message else ""))
        self.status, self.message = status, message


class Library:
    def __init__(self, path):
        self.library = c.CDLL(path)
        for name in ("tw_error_message", "tw_error_diagnostics", "tw_status_name"):
            getattr(self.library, name).restype = c.c_char_p
        self.library.tw_error_message.argtypes = self.library.tw_error_diagnostics.argtypes = [c.c_void_p]

    def __call__(self, function, *arguments):
        """Calls a function that takes a tw_error ** last."""
        error = c.c_void_p()
        status = getattr(self.library, function)(*arguments, c.byref(error))
        if status == 0:
            return
        name = self.library.tw_status_name(status).decode()
        message = self.library.tw_error_message(error).decode(errors="replace")
        diagnostics = self.library.tw_error_diagnostics(error).decode(errors="replace")
        self.library.tw_error_release(error)
        raise Failure(name, message, diagnostics)


class Context:
    """A context for one target. `run` compiles and launches a kernel."""

    def __init__(self, library, target, threads=1):
        self.library, self.target = library, target
        self.on_device = target != "cpu"
        options = _ContextOptions(
            struct_size=c.sizeof(_ContextOptions), threads=threads, cache_directory=b"", target=target.encode()
        )
        self.handle = c.c_void_p()
        library("tw_context_create", c.byref(options), c.byref(self.handle))

    def close(self):
        self.library.library.tw_context_release(self.handle)

    def run(self, text, arguments, scalars, dimensions, bindings, schedule="", checked=False):
        """arguments: values.Argument of each view that is given. Returns the memory of each output after the launch, and the
        tunables that were chosen."""
        from values import guarded, raw_type

        releases, memory = [], {}
        try:
            module, kernel, launchable = c.c_void_p(), c.c_void_p(), c.c_void_p()
            data = text.encode()
            self.library("tw_module_from_text", self.handle, b"kernel.tile", data, c.c_size_t(len(data)), None, c.byref(module))
            releases.append(("tw_module_release", module))
            self.library("tw_module_kernel", module, None, c.byref(kernel))
            releases.append(("tw_kernel_release", kernel))
            array = (_Argument * (len(arguments) + len(scalars)))()
            for slot, argument in zip(array, arguments):
                image = argument.image()
                itemsize = raw_type(argument.view.dtype).itemsize
                if self.on_device:
                    address = c.c_void_p()
                    self.library("tw_memory_allocate", self.handle, c.c_size_t(image.nbytes), c.byref(address))
                    releases.append(("free", address))
                    self.library(
                        "tw_memory_copy_to_device", self.handle, address, c.c_void_p(image.ctypes.data), c.c_size_t(image.nbytes), None
                    )
                    base = address.value
                    memory[argument.view.name] = (image, address)
                else:
                    held = guarded(argument.count, image.dtype)
                    held[...] = image
                    base = held.ctypes.data
                    memory[argument.view.name] = (held, None)
                slot.parameter, slot.kind = argument.view.name.encode(), 0
                slot.dtype, slot.rank = DTYPES.index(argument.view.dtype), len(argument.shape)
                slot.data = base + argument.first * itemsize
                slot.shape[: len(argument.shape)] = argument.shape
                slot.strides[: len(argument.shape)] = argument.strides
            for slot, scalar in zip(array[len(arguments) :], scalars):
                slot.parameter = scalar.name.encode()
                if scalar.dtype.startswith(("f", "bf")):
                    slot.kind, slot.real = 2, scalar.value
                else:
                    slot.kind, slot.integer = 1, scalar.value
            bound = (_Binding * max(len(bindings), 1))(*[_Binding(n.encode(), str(v).encode()) for n, v in bindings.items()])
            extents = (_Dimension * max(len(dimensions), 1))(*[_Dimension(n.encode(), v) for n, v in dimensions.items()])
            specialization = _Specialization(
                c.sizeof(_Specialization), bound, len(bindings), extents, len(dimensions), None, schedule.encode(), checked, 0
            )
            self.library("tw_prepare", kernel, c.byref(specialization), array, c.c_size_t(len(array)), c.byref(launchable))
            releases.append(("tw_launchable_release", launchable))
            self.library("tw_launch", launchable, None, c.c_size_t(0))
            outputs = {}
            for argument in arguments:
                image, address = memory[argument.view.name]
                if address is not None:
                    self.library("tw_synchronize", self.handle, None)
                    back = np.empty_like(image)
                    self.library(
                        "tw_memory_copy_to_host", self.handle, c.c_void_p(back.ctypes.data), address, c.c_size_t(back.nbytes), None
                    )
                    image = back
                outputs[argument.view.name] = image
            return outputs
        finally:
            for function, handle in reversed(releases):
                if function == "free":
                    self.library("tw_memory_free", self.handle, handle)
                else:
                    getattr(self.library.library, function)(handle)
