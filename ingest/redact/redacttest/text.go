// Package redacttest builds the examples of rules. The examples are stored in parts, so that secret
// scanners do not report them in the source.
package redacttest

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// alphabets maps the letters in {…} of an example to the characters that they stand for.
var alphabets = map[string]string{
	"": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "h": "0123456789abcdef", "d": "123456789",
	"A": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "l": "abcdefghijklmnopqrstuvwxyz0123456789",
	"B": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

// tildes removes the "~" between parts. "~~" becomes one "~".
var tildes = strings.NewReplacer("~~", "~", "~", "")

var part = regexp.MustCompile(`\{([a-zA-Z]?)(\d+)\}`)

// Text returns the text of an example. The same seed returns the same text.
func Text(example string, seed uint64) string {
	text, _ := Parts(example, seed)
	return text
}

// Parts returns the text of an example and its random parts.
func Parts(example string, seed uint64) (text string, random []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	text = part.ReplaceAllStringFunc(tildes.Replace(example), func(p string) string {
		m := part.FindStringSubmatch(p)
		n, _ := strconv.Atoi(m[2])
		var b strings.Builder
		for i := range n {
			c := alphabets[m[1]][r.IntN(len(alphabets[m[1]]))]
			if m[1] == "" && i%5 == 3 {
				c = '0' + byte(r.IntN(10)) // random texts contain digits
			}
			b.WriteByte(c)
		}
		random = append(random, b.String())
		return b.String()
	})
	return text, random
}
