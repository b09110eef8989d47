package dialect

import "unique"

// Intern returns a string with text's content that all callers share. It is for sets of few
// texts, such as the types of frames.
func Intern(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if len(text) > lastLimit {
		return string(text)
	}
	return unique.Make(Alias(text)).Value()
}
