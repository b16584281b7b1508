// The `.tile` files that come with the compiler, embedded in it (compiler/stdlib).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

std::optional<std::string_view> standardLibraryFile(std::string_view path);
std::vector<std::string_view> standardLibraryNames();

} // namespace tilewright::frontend
