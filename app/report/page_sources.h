#pragma once

#include <string_view>

/// The files of app/report/page/, which cmake/Embed.cmake puts into the program.
namespace dropmd::page {

extern const std::string_view kChartsJs, kCommonJs, kEnsembleHtml, kEnsembleJs, kHeadHtml, kMapJs, kPageCss, kPageHtml,
    kPageJs, kToolbarHtml, kViewJs;

}  // namespace dropmd::page
