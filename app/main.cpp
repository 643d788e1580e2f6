#include "app/program.h"

int main(int argc, char** argv) { return dropmd::run_program({argv + 1, argv + argc}); }
