/* tc-jank: find late frames in a record stream. */
#include "answer/answer.h"
#include "cli/cli.h"
#include "err/err.h"
#include "filter/filter.h"

static const char usage[] =
	"usage: tc-jank [-k] [-a APP] [--all] [--sf PROCESS] [--missing] [--keep]\n"
	"               [--ignore-upstream] [MODE [OPTION...]] [FILE...]\n"
	"       tc-jank [OPTION...] metrics [--sketch] [SCENES] [FILE...]\n"
	"       tc-jank [OPTION...] rules -r FILE [--strict] [--junit FILE]\n"
	"               [--markers FILE] [--cuj] [--scenario GLOB] [--edge WHICH] "
	"[FILE...]\n"
	"       tc-jank [OPTION...] compare [--metric NAME] [--min-effect PERCENT]\n"
	"               [--alpha P] [--seed N] [--resamples N] [--strict] A B\n"
	"Read frame records and answer a question about them. MODE is one of\n\n"
	"  frames                   each app frame against its expectation\n"
	"  stats                    counts by class\n"
	"  display [--sf pid=N|upid=N]\n"
	"                           app frames and the display frames that showed them\n"
	"  phases [--missing]       the phases of buffers as they are, and those that\n"
	"                           are not there\n"
	"  match [--sf PROCESS]     app frames and the buffers that may be theirs\n"
	"  explain [--sf PROCESS]   what is known of each janky, late or dropped "
	"frame\n"
	"  input                    how long input events took, and what ran "
	"meanwhile\n"
	"  metrics [--sf PROCESS]   numbers, each after a definition that it names\n"
	"  rules -r FILE [--sf PROCESS]\n"
	"                           whether metrics keep to the rules of FILE\n"
	"  compare A B              whether the frames of B are worse than those of A\n"
	"  merge                    metrics and stats of many traces as one\n\n"
	"and without one, the janky frames and then the stats.\n\n"
	"  -a, --app NAME           only this process; NAME may be a glob\n"
	"      --all                every process that --app fits, not just one\n"
	"      --sf pid=N|upid=N    whose display frames count\n"
	"      --missing            the phases that buffers should have and do not, too\n"
	"      --keep               pass on the rows of traces too\n"
	"      --ignore-upstream    status 0 even when a tool upstream failed\n"
	"      --sketch             distributions that merge can combine\n"
	"  -r, --rules FILE         the file of rules\n"
	"      --strict             status 1 also where there was not enough data\n"
	"      --junit FILE         write the verdicts to a JUnit file too\n"
	"      --metric NAME        compare this one, NAME or NAME.STATISTIC\n"
	"      --min-effect PERCENT\n"
	"                           the least that is a regression (default 5)\n"
	"      --alpha P            chance of any false one (default 0.05)\n"
	"      --seed N             of random numbers (default 1)\n"
	"      --resamples N        how many (default 2000)\n"
	"SCENES, which are judged apart, come from markers of the stream, and from\n"
	"      --markers FILE       a file of marker records\n"
	"      --cuj                slices of interactions, J<NAME>\n"
	"      --scenario GLOB      slices whose name fits\n"
	"      --edge WHICH         which frames at their edges count: start-in\n"
	"                           (default), end-in, both, clip\n" TC_CLI_USAGE;

enum { OPT_KEEP = TC_ANSWER_OTHER, OPT_IGNORE_UPSTREAM };

static const struct option longopts[] = {
	{ "app", required_argument, NULL, TC_ANSWER_APP },
	{ "all", no_argument, NULL, TC_ANSWER_ALL },
	{ "sf", required_argument, NULL, TC_ANSWER_SF },
	{ "missing", no_argument, NULL, TC_ANSWER_MISSING },
	{ "keep", no_argument, NULL, OPT_KEEP },
	{ "ignore-upstream", no_argument, NULL, OPT_IGNORE_UPSTREAM },
	{ "sketch", no_argument, NULL, TC_ANSWER_SKETCH },
	{ "rules", required_argument, NULL, TC_ANSWER_RULES },
	{ "strict", no_argument, NULL, TC_ANSWER_STRICT },
	{ "junit", required_argument, NULL, TC_ANSWER_JUNIT },
	{ "markers", required_argument, NULL, TC_ANSWER_MARKERS },
	{ "cuj", no_argument, NULL, TC_ANSWER_CUJ },
	{ "scenario", required_argument, NULL, TC_ANSWER_SCENARIO },
	{ "edge", required_argument, NULL, TC_ANSWER_EDGE },
	{ "metric", required_argument, NULL, TC_ANSWER_METRIC },
	{ "min-effect", required_argument, NULL, TC_ANSWER_MIN_EFFECT },
	{ "alpha", required_argument, NULL, TC_ANSWER_ALPHA },
	{ "seed", required_argument, NULL, TC_ANSWER_SEED },
	{ "resamples", required_argument, NULL, TC_ANSWER_RESAMPLES },
	TC_CLI_LONGOPTS,
};

int
main(int argc, char **argv)
{
	struct tc_cli cli = TC_CLI_INIT("tc-jank", usage);
	struct tc_answer answer;
	struct tc_filter filter = { .on = answer.on,
		.begin = tc_answer_begin,
		.end = tc_answer_end,
		.heeds = true };
	struct tc_err err = { 0 };
	char **inputs;
	int c, r;

	tc_cli_hold_streams();
	tc_answer_init(&answer);
	while ((c = getopt_long(argc, argv, TC_CLI_OPTS "a:r:", longopts, NULL)) != -1) {
		if (c == OPT_KEEP)
			filter.keep = true;
		else if (c == OPT_IGNORE_UPSTREAM)
			filter.ignores = true;
		else if (!tc_answer_take(&answer, &cli, c, optarg))
			tc_cli_common(&cli, c, argv);
	}
	inputs = tc_answer_set(&answer, &cli, longopts, argv + optind);
	r = tc_filter_run(&filter, &answer, &cli, inputs, &err);
	tc_answer_release(&answer);
	return tc_cli_finish(&cli, r, &err);
}
