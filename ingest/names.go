package ingest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultTenant is where everything belongs that names no tenant.
const DefaultTenant = "default"

const nameLimit = 256 // bytes

// CheckSession says what is wrong with a session id given by a user: it is
// printable UTF-8 text of 1 to 256 bytes.
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

// CheckTenant says what is wrong with a tenant's name: letters, digits, "-"
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

// usable makes a session id out of what a frame calls its session: as it is
// where it can be, otherwise cut and cleaned, so that no frame is refused for
// the id it carries.
func usable(id string) string {
	if CheckSession(id) == nil {
		return id
	}
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(id, "_"))
	if clean == "." || clean == ".." {
		clean = strings.ReplaceAll(clean, ".", "_")
	}
	for len(clean) > nameLimit {
		_, size := utf8.DecodeLastRuneInString(clean)
		clean = clean[:len(clean)-size]
	}
	return clean
}
