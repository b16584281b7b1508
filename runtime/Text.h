// Building messages.
#pragma once

#include <charconv>
#include <concepts>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::runtime {

inline void append(std::string &to, std::string_view text) {
  to += text;
}
inline void append(std::string &to, char character) {
  to += character;
}
inline void append(std::string &to, const char *text) {
  to += text;
}

template <std::integral T> void append(std::string &to, T value) {
  to += std::to_string(value);
}

/// The shortest text that reads back as the same number.
template <std::floating_point T> void append(std::string &to, T value) {
  char buffer[40];
  to.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}

/// concat("dimension ", name, " is ", 5): one string of all parts.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::string result;
  (append(result, parts), ...);
  return result;
}

/// "a, b, c"
std::string joined(std::span<const std::string> names);

/// The name that `wrong` most likely stands for, or "" if none is near.
std::string nearest(std::string_view wrong, std::span<const std::string> names);

/// ` (did you mean b?)`, or ` (there are a, b, c)`, or ` (there are none)`.
std::string suggestion(std::string_view wrong, std::span<const std::string> names);

} // namespace tilewright::runtime
