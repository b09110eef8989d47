// Package redacttest puts together the examples of rules, which stand in parts so that
// scanners for secrets do not find them in the source.
package redacttest

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// alphabets are what the letters in {…} of an example stand for.
var alphabets = map[string]string{
	"": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "h": "0123456789abcdef", "d": "123456789",
	"A": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "l": "abcdefghijklmnopqrstuvwxyz0123456789",
	"B": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "Q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}

// tildes removes the "~" between parts; "~~" is one that stays.
var tildes = strings.NewReplacer("~~", "~", "~", "")

var part = regexp.MustCompile(`\{([a-zA-Z]?)(\d+)\}`)

// Text returns an example, the same one for the same seed.
func Text(example string, seed uint64) string {
	text, _ := Parts(example, seed)
	return text
}

// Parts returns an example and its random parts.
func Parts(example string, seed uint64) (text string, random []string) {
	r := rand.New(rand.NewPCG(seed, 1))
	text = part.ReplaceAllStringFunc(tildes.Replace(example), func(p string) string {
		m := part.FindStringSubmatch(p)
		n, _ := strconv.Atoi(m[2])
		var b strings.Builder
		for i := range n {
			c := alphabets[m[1]][r.IntN(len(alphabets[m[1]]))]
			if m[1] == "" && i%5 == 3 {
				c = '0' + byte(r.IntN(10)) // as random texts have digits
			}
			b.WriteByte(c)
		}
		random = append(random, b.String())
		return b.String()
	})
	return text, random
}
