// ICU: character sets and sentences.
#pragma once
#include <unicode/ubrk.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
