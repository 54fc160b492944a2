// libqpdf, the objects and streams of PDF files.
#pragma once
#include <qpdf/qpdf-c.h>
