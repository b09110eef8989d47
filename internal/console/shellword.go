package console

import "strings"

// ShellWord quotes a word for a shell where it needs it.
func ShellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r == '/' || r == ':' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// SessionWord returns the last argument of a command that a hint names: a session's id, which
// comes after "--" if it begins like a flag.
func SessionWord(id string) string {
	if strings.HasPrefix(id, "-") {
		return "-- " + ShellWord(id)
	}
	return ShellWord(id)
}

// FileWord returns a file's name as an argument of a command that a hint names. A name that
// begins like a flag is written with its folder.
func FileWord(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return ShellWord(name)
}
