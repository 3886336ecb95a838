# Writes OUT, a C++ source with the page of FOLDER: page.html with the style sheet and SCRIPTS in
# their places.
cmake_minimum_required(VERSION 3.25)
file(READ ${FOLDER}/page.html page)
file(READ ${FOLDER}/style.css style)
set(scripts "")
foreach(script IN LISTS SCRIPTS)
  file(READ ${FOLDER}/${script} text)
  string(APPEND scripts "${text}\n")
endforeach()
string(REPLACE "@style@" "${style}" page "${page}")
string(REPLACE "@scripts@" "${scripts}" page "${page}")

# In pieces, as compilers need not take string literals of more than 64 KiB. A piece ends where a
# line does.
string(LENGTH "${page}" length)
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 8000 piece)
  string(APPEND pieces "R\"page(${piece})page\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUT} "#include \"page_template.hpp\"

namespace copse::report {

std::string_view pageTemplate() {
  static constexpr std::string_view kPage =
${pieces};
  return kPage;
}

} // namespace copse::report
")
