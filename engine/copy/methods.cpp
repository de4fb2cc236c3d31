#include "engine/copy/methods.h"

namespace pipetop {
namespace {

CopyMethods only_copy(std::string why) { return {{CopyMethod::copy}, std::move(why)}; }

bool is_file(const CopyEnd& end) {
  return end.kind == EndKind::regular || end.kind == EndKind::block;
}

}  // namespace

CopyMethods methods_for(const CopyEnd& in, const CopyEnd& out, bool may_splice) {
  using enum CopyMethod;
  if (!may_splice) return only_copy("splicing wasn't wanted");
  if (out.appends && out.kind == EndKind::regular)
    return only_copy(out.name + " appends (>>), and splice doesn't");
  for (const CopyEnd* end : {&in, &out})
    if (end->kind == EndKind::terminal) return only_copy(end->name + " is a terminal");
  // From a pipe into a file splice copies, too, and no other program gets at the pipe meanwhile. A
  // pipe of our own in between would end that; but then a program that lends its pages by vmsplice
  // would write to them again before they are in the file.
  if (in.kind == EndKind::pipe && is_file(out))
    return only_copy("splice would lock the pipe while " + out.name + " is written");
  if (in.kind == EndKind::pipe || out.kind == EndKind::pipe) return {{splice, copy}, ""};
  if (in.kind == EndKind::device || in.kind == EndKind::null)
    return only_copy(in.name + " is a device, which has no pages to share");
  // Of /proc, for example: nothing but read() knows what it holds.
  if (is_file(in) && !bytes_left(in.fd)) return only_copy(in.name + " has no size");
  if (in.kind == EndKind::regular && out.kind == EndKind::regular)
    return {{copy_file_range, splice_by_pipe, copy}, ""};
  return {{splice_by_pipe, copy}, ""};
}

}  // namespace pipetop
