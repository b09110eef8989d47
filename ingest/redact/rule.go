package redact

import (
	"fmt"
	"regexp"
	"strings"
)

// A Rule describes secrets of one kind. Source names the documentation in which a provider
// publishes the format of its keys.
type Rule struct {
	ID string // name of the rule in placeholders and metrics
	// Keywords begin a secret, or precede it. They are public: a text that ends in a keyword
	// contains no byte of a secret.
	Keywords []string
	// Pattern matches the text after the keyword, in RE2 syntax, without assertions. If it has
	// groups, the first group that matched is the secret; otherwise the secret is the keyword with
	// the whole match.
	Pattern string
	Before  string // characters that may precede the keyword; "": all but letters and digits
	// After are the characters that may not follow the secret, as a character class without
	// brackets. "" means letters and digits; "-" means no characters.
	After string
	// Except are longer texts that end in a keyword and in which it does not count as a keyword.
	Except []string
	// Ends says that Pattern, instead of After, matches the text that has to follow the secret. A
	// line feed is appended to each text.
	Ends bool
	// Weak marks rules whose keyword is also common in texts without secrets. If the end of a
	// possible secret does not arrive in time, its beginning is recorded unmasked.
	Weak bool
	// Open marks secrets that are masked even if the stream ends within them.
	Open bool
	// Check reports whether a match is a secret; nil accepts all matches.
	Check func(secret []byte) bool
	// Judge reports whether a match is a secret, given the whole text of the match, which begins
	// with a keyword of key bytes. The secret is bytes [from, to). nil accepts all matches.
	Judge func(text []byte, key, from, to int) bool

	Source string // where the format is published
	// Example is a secret that the rule finds, Near a text that it must not find. "~" separates
	// parts that tests join, so that secret scanners do not report the source; "~~" is a tilde.
	Example, Near string
}

// rule is a compiled Rule.
type rule struct {
	*Rule
	program *program
	grouped bool   // the pattern has a group
	prefix  prefix // bytes that may follow the keyword
	// declared is the value of a declared secret, or "". Its keyword is its first byte, which is
	// masked too.
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

// mayFollow reports whether the keyword may follow byte c; 0 stands for the beginning of a text.
func (r *rule) mayFollow(c byte) bool {
	if c == 0 {
		return true
	}
	if r.Before != "" {
		return strings.IndexByte(r.Before, c) >= 0
	}
	return !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
}
