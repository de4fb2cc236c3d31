#include "tui/widgets/pages.h"

namespace pipetop::tui {
namespace {

constexpr ScreenKey kWords[] = {
    {"ring", "the pipe's buffer: a fixed number of slots, filled and drained in a circle"},
    {"slot", "one entry of the ring: a reference to a page, with an offset and a length"},
    {"tail, head", "where the reader takes from, and where the writer puts to"},
    {"copy", "a slot whose page belongs to the pipe: write() copied the bytes into it"},
    {"user page", "a slot that refers to the writer's own page, lent by vmsplice"},
    {"lend", "let the pipe refer to a page without copying it"},
    {"gift", "lend a page for good (SPLICE_F_GIFT): the writer must not use it again"},
    {"vmsplice", "system call that puts references to the caller's own pages into a pipe"},
    {"splice", "system call that moves pages between a pipe and a file, without a copy"},
    {"tee", "system call that copies the references in one pipe to another pipe"},
    {"EAGAIN", "what a call returns that would have to wait: the ring was full, or empty"},
    {"busy loop", "repeat a call that returned EAGAIN at once, instead of sleeping"},
    {"self", "share of the samples in the function itself"},
    {"child", "share of the samples in the function and in all that it calls"},
    {"sample", "what a CPU was running at one tick of the timer"},
    {"blocked", "asleep in the kernel, until somebody wakes it"},
    {"runnable", "able to run, but waiting for a CPU"},
    {"huge page", "a page of 2 MiB instead of 4 KiB: one look-up covers 512 small ones"},
    {"thp", "transparent huge pages: the kernel makes them where it can"},
    {"hugetlb", "huge pages from a pool that the administrator reserved"},
    {"stamp", "a number in every page by which the reader checks what it got"},
    {"torn", "a page that was rewritten while the reader copied it"},
    {"misplaced", "a page with another number than expected: lost, repeated or rewritten"},
    {"steal", "time that the hypervisor gave to others while a CPU had work to do"},
    {"segment", "the time between two changes; its rate is a mean"},
    {"roof", "the upper bound of the rate that the single steps imply"},
};

}  // namespace

std::span<const ScreenKey> words() { return kWords; }

}  // namespace pipetop::tui
