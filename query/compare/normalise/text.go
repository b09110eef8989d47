// Package normalise replaces ids and times, which differ between any two runs, with the names of
// the rules that ignore them.
package normalise

import (
	"strings"
)

// Rule is a kind of value that comparisons ignore.
type Rule string

// The rules.
const (
	UUID Rule = "uuid" // 8-4-4-4-12 hexadecimal digits
	ID   Rule = "id"   // a known prefix, such as toolu_ or call_, and 16 or more letters and digits
	// Time: a date with a time of day, a time of day with seconds, and numbers in members whose
	// names denote a time.
	Time Rule = "time"
	// Duration: in results only: values such as 0.25s, and numbers in members whose names denote a
	// duration.
	Duration Rule = "duration"
)

// Rules lists all rules.
var Rules = []Rule{UUID, ID, Time, Duration}

// Normaliser normalises the texts of a session. The zero value ignores nothing.
type Normaliser struct {
	Ignore bool
	Counts map[Rule]int // how many values each rule replaced; nil to count none
}

// Kind distinguishes results from other texts.
type Kind bool

// Durations are ignored in results only: the arguments of a tool are not measurements.
const (
	Arguments Kind = false
	Result    Kind = true
)

func (n *Normaliser) count(r Rule) string {
	if n.Counts != nil {
		n.Counts[r]++
	}
	return "<" + string(r) + ">"
}

// Text returns a text with ignored values replaced and without leading and trailing white space.
func (n *Normaliser) Text(s string, kind Kind) string {
	s = strings.TrimSpace(s)
	if !n.Ignore {
		return s
	}
	var out strings.Builder
	from := 0
	for i := 0; i < len(s); {
		if !alnum(s[i]) {
			i++
			continue
		}
		// A value starts at the start of a word.
		rule, end := match(s, i, kind)
		if rule != "" {
			out.WriteString(s[from:i])
			out.WriteString(n.count(rule))
			from, i = end, end
			continue
		}
		for i < len(s) && alnum(s[i]) {
			i++
		}
	}
	if from == 0 {
		return s
	}
	out.WriteString(s[from:])
	return out.String()
}

// match returns the rule for the value that starts at s[i], and the end of the value.
func match(s string, i int, kind Kind) (Rule, int) {
	if digit(s[i]) {
		if end := timeAt(s, i); end > 0 {
			return Time, end
		}
		if kind == Result {
			if end := durationAt(s, i); end > 0 {
				return Duration, end
			}
		}
	}
	if hex(s[i]) {
		if end := shape(s, i, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"); end > 0 && !wordAt(s, end) {
			return UUID, end
		}
	}
	if end := idAt(s, i); end > 0 {
		return ID, end
	}
	return "", 0
}

// prefixes are the prefixes of ids of providers and protocols.
var prefixes = []string{
	"toolu", "srvtoolu", "call", "msg", "req", "resp", "chatcmpl", "cmpl",
	"run", "thread", "fc", "rs", "ws", "gen", "item", "evt", "asst",
}

func idAt(s string, i int) int {
	rest := s[i:]
	at := strings.IndexAny(rest[:min(len(rest), 12)], "_-")
	if at < 2 {
		return 0
	}
	known := false
	for _, p := range prefixes {
		known = known || p == rest[:at]
	}
	if !known {
		return 0
	}
	end, digits, letters := at+1, 0, 0
	for end < len(rest) && alnum(rest[end]) {
		if digit(rest[end]) {
			digits++
		} else {
			letters++
		}
		end++
	}
	if end-at-1 < 16 || digits == 0 || letters == 0 {
		return 0
	}
	return i + end
}

// timeAt returns the end of the time that starts at s[i]; 0 if there is none.
func timeAt(s string, i int) int {
	if end := shape(s, i, "dddd-dd-dd"); end > 0 && end < len(s) && (s[end] == 'T' || s[end] == ' ' || s[end] == 't') {
		if clock := clockAt(s, end+1, true); clock > 0 {
			return clock
		}
	}
	return clockAt(s, i, false)
}

// clockAt is timeAt for a time of day. After a date the time of day may lack seconds.
func clockAt(s string, i int, dated bool) int {
	end := shape(s, i, "dd:dd:dd")
	if end == 0 && dated {
		end = shape(s, i, "dd:dd")
	}
	if end == 0 {
		return 0
	}
	if end+1 < len(s) && (s[end] == '.' || s[end] == ',') && digit(s[end+1]) {
		for end++; end < len(s) && digit(s[end]); {
			end++
		}
	}
	switch zone := shape(s, end, "+dd:dd"); {
	case end < len(s) && (s[end] == 'Z' || s[end] == 'z'):
		end++
	case zone > 0:
		end = zone
	case shape(s, end, "+dddd") > 0:
		end = shape(s, end, "+dddd")
	}
	if wordAt(s, end) {
		return 0
	}
	return end
}

// durationAt is timeAt for a measured duration: a decimal fraction with a unit.
func durationAt(s string, i int) int {
	end := i
	for end < len(s) && digit(s[end]) {
		end++
	}
	if end+1 >= len(s) || s[end] != '.' || !digit(s[end+1]) {
		return 0
	}
	for end++; end < len(s) && digit(s[end]); {
		end++
	}
	if end < len(s) && s[end] == ' ' {
		end++
	}
	for _, unit := range []string{"seconds", "secs", "sec", "ms", "µs", "us", "ns", "s"} {
		if strings.HasPrefix(s[end:], unit) && !wordAt(s, end+len(unit)) {
			return end + len(unit)
		}
	}
	return 0
}

// shape returns the end of the text of a shape that starts at s[i]; 0 if there is none. In a shape,
// d is a digit, x a hexadecimal digit and + a sign.
func shape(s string, i int, of string) int {
	if i+len(of) > len(s) {
		return 0
	}
	for k := range len(of) {
		c := s[i+k]
		var ok bool
		switch of[k] {
		case 'd':
			ok = digit(c)
		case 'x':
			ok = hex(c)
		case '+':
			ok = c == '+' || c == '-'
		default:
			ok = c == of[k]
		}
		if !ok {
			return 0
		}
	}
	return i + len(of)
}

func wordAt(s string, i int) bool { return i < len(s) && alnum(s[i]) }
func digit(c byte) bool           { return '0' <= c && c <= '9' }
func hex(c byte) bool             { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func alnum(c byte) bool           { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
