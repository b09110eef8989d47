package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultTenant is the tenant of streams that name none.
const DefaultTenant = "default"

const nameLimit = 256 // bytes

// CheckSession validates a session id that a user named: printable UTF-8 text of 1 to 256 bytes.
func CheckSession(id string) error {
	switch {
	case id == "" || len(id) > nameLimit:
		return fmt.Errorf("session id of %d bytes: it must have 1 to %d", len(id), nameLimit)
	case !utf8.ValidString(id):
		return fmt.Errorf("session id %q: it must be UTF-8 text", id)
	case id == "." || id == "..":
		return fmt.Errorf("session id %q: a URL cannot name it", id)
	case strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) }):
		return fmt.Errorf("session id %q: it must not hold control characters", id)
	}
	return nil
}

// CheckTenant validates a tenant's name: letters, digits, "-"
// and "_", at most 64.
func CheckTenant(name string) error {
	bad := strings.ContainsFunc(name, func(r rune) bool { return !plain(r) })
	if name == "" || len(name) > 64 || bad {
		return fmt.Errorf("tenant %q: a name has 1 to 64 letters, digits, \"-\" or \"_\"", name)
	}
	return nil
}

func plain(r rune) bool {
	return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// sessionID returns the session id for the name that a frame has for its session. A name that
// CheckSession accepts is unchanged. Any other name becomes "~" followed by the name with each
// invalid byte as %XX, and "%" as "%25". If that is too long, it is truncated and ends with "%cut-"
// and a hash of the whole name. Distinct names have distinct ids: a name that looks like an escaped
// one is escaped itself.
func sessionID(id string) string {
	if CheckSession(id) == nil && !looksEscaped(id) {
		return id
	}
	const cut = nameLimit - len(cutMark) - 2*cutHash
	escaped := make([]byte, 0, nameLimit+16)
	escaped = append(escaped, escapeMark...)
	keep := 0 // bytes that remain if the name is truncated
	for i := 0; i < len(id) && len(escaped) <= nameLimit; {
		r, size := utf8.DecodeRuneInString(id[i:])
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) || r == '%' || id == "." || id == ".." {
			for _, b := range []byte(id[i : i+size]) {
				escaped = fmt.Appendf(escaped, "%%%02X", b)
			}
		} else {
			escaped = append(escaped, id[i:i+size]...)
		}
		if i += size; len(escaped) <= cut {
			keep = len(escaped)
		}
	}
	if len(escaped) <= nameLimit {
		return string(escaped)
	}
	sum := sha256.Sum256([]byte(id))
	return string(escaped[:keep]) + cutMark + hex.EncodeToString(sum[:cutHash])
}

const (
	escapeMark = "~"
	cutMark    = "%cut-"
	cutHash    = 16 // bytes of the hash
)

func looksEscaped(id string) bool {
	return strings.HasPrefix(id, escapeMark) && strings.Contains(id, "%")
}

// SessionID returns the session id for a name that a source has for its session: the name itself
// if CheckSession accepts it, and otherwise an escaped form of it.
func SessionID(name string) string { return sessionID(name) }
