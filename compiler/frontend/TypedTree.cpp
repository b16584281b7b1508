#include "compiler/frontend/TypedTree.h"

#include <algorithm>

namespace tilewright::frontend::typed {

bool TileType::has(const Axis *axis) const {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::string toString(const TileType &type) {
  std::string text(name(type.dtype));
  if (type.axes.empty())
    return text;
  text += '[';
  for (const Axis *axis : type.axes) {
    if (axis != type.axes.front())
      text += ", ";
    text += axis->name;
  }
  return text + ']';
}

const View *Kernel::findView(std::string_view viewName) const {
  for (const std::unique_ptr<View> &view : views)
    if (view->name == viewName)
      return view.get();
  return nullptr;
}

} // namespace tilewright::frontend::typed
