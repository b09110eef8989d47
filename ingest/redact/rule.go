package redact

import (
	"fmt"
	"regexp"
	"strings"
)

// A Rule describes secrets of one kind. It is data: which keys a provider hands out stands
// in its documentation, named by Source.
type Rule struct {
	ID string // names the rule in placeholders and metrics
	// Keywords begin a secret, or precede it. They are public:
	// a text that ends in one of them has no byte of a secret.
	Keywords []string
	// Pattern matches what follows the keyword, in RE2 syntax, without assertions. If it
	// has a group, only the group is the secret, the first that matched of several; else the keyword and all of
	// the match are.
	Pattern string
	Before  string // characters that may stand before the keyword; "": all but letters and digits
	// After are the characters that may not follow the secret, as a class without its
	// brackets; "": letters and digits, "-" for none.
	After string
	// Except are longer texts that end in a keyword, which is none there.
	Except []string
	// Ends says that the pattern also matches what has to follow the secret, in place of After. Each text ends
	// with a line feed.
	Ends bool
	// Weak marks rules whose keyword is also common in texts without secrets. The beginning
	// of such a match is recorded if its end does not come in time.
	Weak bool
	// Open marks secrets that are masked although the stream ends within them.
	Open bool
	// Check decides on a match; nil accepts all.
	Check func(secret []byte) bool
	// Judge decides on a match by all of its text, which begins with a keyword of key bytes; the secret is bytes
	// [from, to). nil accepts all.
	Judge func(text []byte, key, from, to int) bool

	Source string // where the format is published
	// Example is a secret as this rule finds it, Near one that it must not find. "~" stands
	// between the parts of which tests put them together, so that scanners for secrets do
	// not find them here; "~~" is a tilde.
	Example, Near string
}

// rule is a compiled Rule.
type rule struct {
	*Rule
	program *program
	grouped bool   // the pattern has a group
	prefix  prefix // what may follow the keyword
	// declared is the text of a declared secret, else "". Its keyword is its first byte and
	// must not be recorded either.
	declared string
}

var named = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func (r *Rule) compile() (*rule, error) {
	if !named.MatchString(r.ID) {
		return nil, fmt.Errorf("rule %q: an id has lower-case letters, digits and dashes", r.ID)
	}
	if len(r.Keywords) == 0 {
		return nil, fmt.Errorf("rule %s has no keyword", r.ID)
	}
	for _, key := range r.Keywords {
		if key == "" {
			return nil, fmt.Errorf("rule %s has an empty keyword", r.ID)
		}
	}
	after := "[^A-Za-z0-9]"
	switch r.After {
	case "":
	case "-":
		after = `[\x00-\x{ffff}]`
	default:
		after = "[^" + r.After + "]"
	}
	text, grouped := r.Pattern, hasGroup(r.Pattern)
	if !grouped {
		text = "(" + text + ")"
	}
	if r.Ends {
		after = ""
	}
	p, err := compile("(?:" + text + ")" + after)
	if err != nil {
		return nil, fmt.Errorf("rule %s: %w", r.ID, err)
	}
	return &rule{Rule: r, program: p, grouped: grouped, prefix: p.prefix()}, nil
}

func hasGroup(pattern string) bool {
	re, err := regexp.Compile(pattern)
	return err == nil && re.NumSubexp() > 0
}

// mayFollow reports whether the keyword may stand behind a byte; 0 is the beginning.
func (r *rule) mayFollow(c byte) bool {
	if c == 0 {
		return true
	}
	if r.Before != "" {
		return strings.IndexByte(r.Before, c) >= 0
	}
	return !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
}
