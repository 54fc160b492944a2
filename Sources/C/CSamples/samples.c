// The sample notes and the sample book of `selene demo`, embedded when the program is built.
#include "include/samples.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char allotment[] = {
#embed "../../App/CLI/SampleNotes/allotment.jsonl"
};

static const unsigned char bread[] = {
#embed "../../App/CLI/SampleNotes/bread.jsonl"
};

static const unsigned char cello[] = {
#embed "../../App/CLI/SampleNotes/cello.jsonl"
};

static const unsigned char father[] = {
#embed "../../App/CLI/SampleNotes/father.jsonl"
};

static const unsigned char gauge[] = {
#embed "../../App/CLI/SampleNotes/gauge.jsonl"
};

static const unsigned char history[] = {
#embed "../../App/CLI/SampleNotes/history.jsonl"
};

static const unsigned char ideas[] = {
#embed "../../App/CLI/SampleNotes/ideas.jsonl"
};

static const unsigned char kitchen[] = {
#embed "../../App/CLI/SampleNotes/kitchen.jsonl"
};

static const unsigned char petrel[] = {
#embed "../../App/CLI/SampleNotes/petrel.jsonl"
};

static const unsigned char sleep[] = {
#embed "../../App/CLI/SampleNotes/sleep.jsonl"
};

static const unsigned char walks[] = {
#embed "../../App/CLI/SampleNotes/walks.jsonl"
};

static const unsigned char work[] = {
#embed "../../App/CLI/SampleNotes/work.jsonl"
};

static const unsigned char hound[] = {
#embed "../../App/CLI/SampleBook/hound.epub"
};

static const selene_sample samples[] = {
    {"allotment.jsonl", allotment, sizeof allotment},
    {"bread.jsonl", bread, sizeof bread},
    {"cello.jsonl", cello, sizeof cello},
    {"father.jsonl", father, sizeof father},
    {"gauge.jsonl", gauge, sizeof gauge},
    {"history.jsonl", history, sizeof history},
    {"ideas.jsonl", ideas, sizeof ideas},
    {"kitchen.jsonl", kitchen, sizeof kitchen},
    {"petrel.jsonl", petrel, sizeof petrel},
    {"sleep.jsonl", sleep, sizeof sleep},
    {"walks.jsonl", walks, sizeof walks},
    {"work.jsonl", work, sizeof work},
    {"hound.epub", hound, sizeof hound},
};

const selene_sample *selene_sample_at(size_t number) {
    return number < sizeof samples / sizeof *samples ? &samples[number] : NULL;
}
