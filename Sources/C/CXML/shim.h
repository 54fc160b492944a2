// libxml2, XML and HTML.
#pragma once
#include <libxml/xmlversion.h>
// libxml2's header of encodings would bring ICU's headers, which contradict those of Foundation. They matter only for
// handlers of encodings, which nothing here touches.
#undef LIBXML_ICU_ENABLED
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xmlreader.h>

// Frees a string of libxml2, whose own function is a variable.
static inline void cxml_free(void *string) { xmlFree(string); }

// Sets how deep elements may be nested. Newer versions have a constant of 2,048.
static inline void cxml_set_depth(unsigned int depth) {
#if LIBXML_VERSION < 21200
    xmlParserMaxDepth = depth;
#else
    (void)depth;
#endif
}
