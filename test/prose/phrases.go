package prose

import (
	"regexp"
	"strings"
)

// avoided is an expression that ebb's texts avoid.
type avoided struct {
	Name    string // as findings show it
	Instead string // what to write
	match   *regexp.Regexp
}

// phrases has what the test looks for. A blank stands for any white space, ends of lines included.
var phrases = []avoided{
	phrase("told", "report, say, emit or distinguish", `\b(told|tells?|telling)\b`),
	phrase("can not", "cannot", `\b[Cc]an not\b`),
	phrase("looked at", "sampled, checked or probed", `\b(looked|looking) at\b`),
	phrase("a look", "a sample, a probe or a check",
		`\b([Aa]|[Tt]he|[Ee]ach|[Ee]very|first|last|longest|two|three) looks?\b`),
	phrase("lean", "bias", `\b[Ll]ean(s|ed|ing)?\b`),
	phrase("go before", "override, or run ahead of", `\bgo(es)? before\b`),
	phrase("passed over", "skipped", `\bpassed over\b`),
	phrase("has hold of", "holds", `\bha(s|ve) hold of\b`),
	phrase("let go", "released", `\blets? go\b`),
	phrase("by how much", "a noun: the difference, the number, the interval",
		`\b(is|are) (by|after|for|in|at|of) (how (much|many|often|long|far)|which|what)\b`),
	phrase("is how", "a noun: the number, the rate, the method",
		`\b(is|are|was) how (much|many|often|long|far|soon|late|it|they|a|the)\b`),
	phrase("of it", "name the thing earlier in the sentence",
		`\b(all|most|more|less|much|half|part|none|nothing|third|rest) of (it|them)[.;:]`),
	phrase(", too", "also, or as well", `, too[,.;:)]`),
	phrase("else", "another, other", `\b(who|what|where|how|somebody|someone) else\b`),
	phrase("Because", "join the sentence to the one before, or give it a main clause",
		`(?:^|[.!?:]\s+|\n\n)\*?Because\b`),
	phrase("Who or What", "a noun as the subject",
		`(?:^|[.!:] |[.!:]\n|\n\n)(?:[-*] )?\**(Who|What) [a-z][^.?!]*[.!](\s|$)`),
}

func phrase(name, instead, pattern string) avoided {
	return avoided{name, instead, regexp.MustCompile(strings.ReplaceAll(pattern, " ", `\s+`))}
}
