#pragma once

#include <string_view>

/// The files of app/report/page/, which cmake/Embed.cmake puts into the program.
namespace dropmd::page {

extern const std::string_view kPageHtml, kPageCss, kPageJs, kChartsJs, kCommonJs, kEnsembleHtml, kEnsembleJs, kMapJs,
    kViewJs;

}  // namespace dropmd::page
