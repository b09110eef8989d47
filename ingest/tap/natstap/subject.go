package natstap

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ownPrefix begins the subjects on which tapedeck publishes.
const ownPrefix = "tapedeck."

// CheckSubject validates a subject with wildcards. It refuses the subjects of tapedeck: what is
// recorded is published on them, and would be recorded again.
func CheckSubject(subject string) error {
	if subject == "" {
		return errors.New("it is empty")
	}
	tokens := strings.Split(subject, ".")
	for i, token := range tokens {
		switch {
		case token == "":
			return errors.New("it has an empty part between dots")
		case strings.ContainsFunc(token, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
			return errors.New("it has white space")
		case token == ">" && i < len(tokens)-1:
			return errors.New("the wildcard > must be its last part")
		}
	}
	if tokens[0] == strings.TrimSuffix(ownPrefix, ".") {
		return fmt.Errorf("recordings of a tapedeck server are published on %s>, so this would record its own recording", ownPrefix)
	}
	return nil
}

// isOwn reports whether a message is not recorded although the pattern matches its subject: the
// message is tapedeck's own, or it is NATS's own and the pattern does not name such subjects.
func isOwn(pattern, subject string) bool {
	if strings.HasPrefix(subject, ownPrefix) {
		return true
	}
	for _, system := range []string{"$", "_INBOX."} {
		if strings.HasPrefix(subject, system) && !strings.HasPrefix(pattern, system) {
			return true
		}
	}
	return false
}

// token returns a token of a subject, counted from 1; "" if the subject has fewer tokens.
func token(subject string, number int) string {
	for i := 1; ; i++ {
		part, rest, more := strings.Cut(subject, ".")
		if i == number {
			return part
		}
		if !more {
			return ""
		}
		subject = rest
	}
}
