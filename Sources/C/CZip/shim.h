// libzip, the archives that EPUB and DOCX files are.
#pragma once
#include <zip.h>
