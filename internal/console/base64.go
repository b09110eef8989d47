package console

import (
	"fmt"
	"strings"
)

// base64Least is the length of a run of characters of base64 that is not shown. Words and ids are shorter.
const base64Least = 256

// WithoutBase64 returns a text in which each long run of characters of base64, as that of a picture, is
// replaced by its length.
func WithoutBase64(s string) string {
	if len(s) < base64Least {
		return s
	}
	var b strings.Builder
	kept := 0 // up to here the text is in b
	for i := 0; i < len(s); {
		if !isBase64(s[i]) {
			i++
			continue
		}
		from := i
		for i < len(s) && isBase64(s[i]) {
			i++
		}
		for i < len(s) && s[i] == '=' {
			i++
		}
		if i-from >= base64Least {
			fmt.Fprintf(&b, "%s(%s of base64)", s[kept:from], Count(uint64(i-from), "byte"))
			kept = i
		}
	}
	if kept == 0 {
		return s
	}
	return b.String() + s[kept:]
}

func isBase64(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/'
}
