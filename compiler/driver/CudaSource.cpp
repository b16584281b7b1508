// What is handed to a function converts itself to the types that its dtype has in CUDA, and to no others, and a result is
// checked: C++ by itself would round or truncate without a word where declaration and definition differ.
//
//   #line 1 "k.tile"
//   #include "hash.cuh"
//   #line 1 "k.tile"
//   extern "C" __device__ int tw_cuda_hash(int x0) {
//   #line 1 "k.tile"
//     auto result = ::hash(tilewright::i32{x0});
//   …
//
// Every line of a callee is the declaration's in the .tile file, which NVRTC then names in its errors.
#include "compiler/driver/CudaSource.h"

#include "compiler/frontend/ExternalFiles.h"

#include <algorithm>
#include <map>

namespace tilewright::compiler {

using namespace frontend;
using nlohmann::ordered_json;

namespace {

/// A dtype in CUDA C++.
struct CudaType {
  const char *types;  ///< that a parameter or result of this dtype may have
  const char *passed; ///< between the kernel and the callee: see ConvertTileGPUToLLVMCalls.cpp
  const char *unpack; ///< a value of the first of `types` from the passed `x`
  const char *pack;   ///< what is passed, from such a value `x`
  const char *header; ///< that defines the type, or null
};

const CudaType &cudaType(DType dtype) {
  // Where the language has no unsigned integers of a width, they are the same bits.
  static const std::map<DType, CudaType> types = {
      {DType::F64, {"double", "double", "x", "x", nullptr}},
      {DType::F32, {"float", "float", "x", "x", nullptr}},
      {DType::F16, {"__half", "int", "__ushort_as_half((unsigned short)x)", "__half_as_ushort(x)", "cuda_fp16.h"}},
      {DType::BF16,
       {"__nv_bfloat16", "int", "__ushort_as_bfloat16((unsigned short)x)", "__bfloat16_as_ushort(x)", "cuda_bf16.h"}},
      {DType::F8E4M3, {"__nv_fp8_e4m3", "int", "from_bits<__nv_fp8_e4m3>(x)", "x.__x", "cuda_fp8.h"}},
      {DType::F8E5M2, {"__nv_fp8_e5m2", "int", "from_bits<__nv_fp8_e5m2>(x)", "x.__x", "cuda_fp8.h"}},
      {DType::I64, {"long long, unsigned long long, long, unsigned long", "long long", "x", "x", nullptr}},
      {DType::I32, {"int, unsigned int", "int", "x", "x", nullptr}},
      {DType::I16, {"short, unsigned short", "int", "(short)x", "x", nullptr}},
      {DType::I8, {"signed char, char", "int", "(signed char)x", "x", nullptr}},
      {DType::U8, {"unsigned char", "int", "(unsigned char)x", "x", nullptr}},
      {DType::Bool, {"bool", "int", "(x & 1) != 0", "x", nullptr}},
  };
  return types.find(dtype)->second;
}

/// Its name in the prelude.
std::string wordOf(DType dtype) {
  return dtype == DType::Bool ? "boolean" : std::string(frontend::name(dtype)); // `bool` is a keyword
}

// Enumerators, since a static member would become a variable of the module.
constexpr char prelude[] = R"cuda(namespace tilewright {
template <bool> struct only_if {};
template <> struct only_if<true> { using type = int; };
template <typename Type, typename... Types> struct one_of { enum : bool { value = false }; };
template <typename Type, typename... Rest> struct one_of<Type, Type, Rest...> { enum : bool { value = true }; };
template <typename Type, typename First, typename... Rest> struct one_of<Type, First, Rest...> {
  enum : bool { value = one_of<Type, Rest...>::value };
};
template <typename Type> struct value_type { using type = Type; };
template <typename Type> struct value_type<const Type> { using type = Type; };
template <typename Type> struct value_type<Type &> { using type = typename value_type<Type>::type; };
template <typename Type> inline __device__ Type from_bits(int bits) {
  Type value;
  value.__x = (unsigned char)bits;
  return value;
}
)cuda";

/// The argument of a dtype, and the check of results: `struct i32`, `is_i32`, `pack_i32`.
std::string definitionOf(DType dtype) {
  const CudaType &type = cudaType(dtype);
  std::string name = wordOf(dtype), types = type.types, first = types.substr(0, types.find(','));
  return "struct " + name + " {\n  " + type.passed + " x;\n" + "  template <typename To, typename only_if<one_of<To, " + types +
         ">::value>::type = 0> __device__ operator To() const { return (To)(" + type.unpack + "); }\n};\n" +
         "template <typename Type> constexpr bool is_" + name + " = one_of<Type, " + types + ">::value;\n" +
         "inline __device__ " + type.passed + " pack_" + name + "(" + first + " x) { return " + type.pack + "; }\n";
}

/// A string literal's content.
std::string escaped(const std::string &text) {
  std::string result;
  for (char character : text) {
    if (character == '"' || character == '\\')
      result += '\\';
    result += character == '\n' ? ' ' : character;
  }
  return result;
}

std::string lineOf(SourceRange where) {
  return "#line " + std::to_string(where.source->locate(where.begin).line) + " \"" + escaped(where.source->name()) + "\"\n";
}

/// `value` is what the function returned; the statement must not compile if its type is not the dtype's.
std::string checkedResult(const typed::Function &function, DType dtype, const std::string &value) {
  std::string dtypeName(frontend::name(dtype)), types = cudaType(dtype).types;
  return "static_assert(tilewright::is_" + wordOf(dtype) + "<tilewright::value_type<decltype(" + value + ")>::type>, \"" +
         function.name + " is declared to give " + dtypeName + ", which is one of: " + types + "\");";
}

std::string calleeOf(const ExternalCallee &callee) { // its lines
  const typed::Function &function = *callee.function;
  const typed::External &external = *function.external;
  std::string parameters, arguments, names, checks, values;
  for (size_t i = 0; i < external.parameters.size(); ++i) {
    std::string name = "x" + std::to_string(i), comma = i ? ", " : "";
    parameters += comma + cudaType(external.parameters[i]).passed + " " + name;
    arguments += comma + "tilewright::" + wordOf(external.parameters[i]) + "{" + name + "}";
  }
  bool isOne = external.results.size() == 1;
  std::string structure, type = isOne ? cudaType(external.results[0]).passed : callee.symbol + "_results";
  for (size_t i = 0; i < external.results.size(); ++i) {
    std::string name = isOne ? "result" : "result" + std::to_string(i), comma = i ? ", " : "";
    names += comma + name;
    checks += "  " + checkedResult(function, external.results[i], name) + "\n";
    values += comma + "tilewright::pack_" + wordOf(external.results[i]) + "(" + name + ")";
    structure += std::string(cudaType(external.results[i]).passed) + " " + name + "; ";
  }
  return (isOne ? "" : "struct " + type + " { " + structure + "};\n") + "extern \"C\" __device__ " + type + " " +
         callee.symbol + "(" + parameters + ") {\n" + "  auto " + (isOne ? names : "[" + names + "]") +
         " = ::" + function.name + "(" + arguments + ");\n" + checks + "  return " +
         (isOne ? values : type + "{" + values + "}") + ";\n}\n";
}

/// Every line of it is said to stand at a place.
std::string placed(SourceRange where, const std::string &lines) {
  std::string result;
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = lines.find('\n', begin) + 1;
    result += lineOf(where) + lines.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

class CudaSourceWriter {
public:
  explicit CudaSourceWriter(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  std::optional<ordered_json> write(const std::vector<ExternalCallee> &callees) {
    std::string includes, definitions, functions;
    for (const ExternalCallee &callee : callees) {
      const typed::External &external = *callee.function->external;
      if (!external.file)
        return refuse(external, "cannot find the file " + quoted(external.path) + ", which has the CUDA function " +
                                    quoted(callee.function->name));
      if (isNew(includedPaths, external.path))
        includes += lineOf(external.declared) + "#include \"" + external.path + "\"\n";
      if (const std::string *twice = add(*external.file))
        return refuse(external, "two files are included as " + quoted(*twice) + ", and the texts differ");
      for (const std::vector<DType> *list : {&external.parameters, &external.results})
        for (DType dtype : *list) {
          if (isNew(dtypes, std::string(frontend::name(dtype))))
            definitions += definitionOf(dtype);
          if (const char *header = cudaType(dtype).header; header && isNew(includedPaths, header))
            includes.insert(0, std::string("#include <") + header + ">\n");
        }
      functions += placed(external.declared, calleeOf(callee));
    }
    ordered_json headers = ordered_json::array();
    for (const auto &[name, file] : files)
      headers.push_back({{"name", name}, {"text", file->text}});
    return ordered_json{{"text", includes + "#line 1 \"tilewright\"\n" + prelude + definitions + "}\n" + functions},
                        {"headers", headers}};
  }

private:
  Diagnostics &diagnostics;
  std::map<std::string, const ExternalFile *> files;
  std::vector<std::string> includedPaths, dtypes;

  static std::string quoted(const std::string &text) { return "`" + text + "`"; }

  static bool isNew(std::vector<std::string> &list, const std::string &text) {
    if (std::find(list.begin(), list.end(), text) != list.end())
      return false;
    list.push_back(text);
    return true;
  }

  std::nullopt_t refuse(const typed::External &external, const std::string &message) {
    diagnostics.error(external.pathWhere, message)
        .help("files are looked for beside the one that names them; a host that answers imports is asked for these too");
    return std::nullopt;
  }

  /// Adds a file and what it includes. The name that another text has already, or null.
  const std::string *add(const ExternalFile &file) {
    auto [known, isNewName] = files.try_emplace(file.name, &file);
    if (!isNewName)
      return known->second->text == file.text ? nullptr : &file.name;
    for (const ExternalFile *included : file.includes)
      if (const std::string *twice = add(*included))
        return twice;
    return nullptr;
  }
};

} // namespace

std::optional<ordered_json> cudaSource(const std::vector<ExternalCallee> &callees, Diagnostics &diagnostics) {
  if (callees.empty())
    return ordered_json(nullptr);
  return CudaSourceWriter(diagnostics).write(callees);
}

} // namespace tilewright::compiler
