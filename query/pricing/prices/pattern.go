package prices

import (
	"fmt"
	"regexp"
	"strings"
)

// pattern is a regular expression of a table. It has RE2 syntax and may start with one negative
// lookahead, which RE2 lacks and the package genai-prices uses: ^(?!NOT)REST matches if ^REST does
// and ^NOT does not.
type pattern struct {
	holds, not *regexp.Regexp // not is nil if there is no lookahead
}

func compilePattern(text string) (*pattern, error) {
	rest, ok := strings.CutPrefix(text, "^(?!")
	if !ok {
		re, err := regexp.Compile(text)
		return &pattern{holds: re}, err
	}
	end := closing(rest)
	if end < 0 {
		return nil, fmt.Errorf("the lookahead of %q is not closed", text)
	}
	not, err := regexp.Compile("^(?:" + rest[:end] + ")")
	if err != nil {
		return nil, err
	}
	holds, err := regexp.Compile("^(?:" + rest[end+1:] + ")")
	return &pattern{holds, not}, err
}

func (p *pattern) matches(name string) bool {
	return p.holds.MatchString(name) && (p.not == nil || !p.not.MatchString(name))
}

// closing returns the index of the parenthesis that closes a group, or -1 if there is none.
func closing(text string) int {
	depth, class := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			// A bracket right after the opening one, or after its ^, belongs to the class.
			for i+1 < len(text) && (text[i+1] == '^' || text[i+1] == ']') {
				i++
			}
		case c == '(':
			depth++
		case c == ')' && depth == 0:
			return i
		case c == ')':
			depth--
		}
	}
	return -1
}
