package redact

import (
	"slices"
	"strings"
)

// personal are the rules that are disabled unless they are requested. The beginning of an e-mail
// address cannot serve as a keyword, so each letter and digit is a keyword.
var personal = []Rule{
	{
		ID:       "email",
		Keywords: letters,
		Pattern:  `[A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}`,
		Before:   notInName,
		Weak:     true,
		Source:   "https://www.rfc-editor.org/rfc/rfc5322#section-3.4.1",
		Example:  "jane.doe@~mail.example.org",
		Near:     "jane.doe@~localhost",
	},
	{ID: "phone", Keywords: []string{"+"}, Pattern: `[1-9](?:[ ().-]{0,2}[0-9]){7,14}`, Weak: true,
		Source: "https://www.itu.int/rec/T-REC-E.164", Example: "+~49 30 1234567", Near: "+~49 30"},
	{
		ID:       "card",
		Keywords: []string{"2", "3", "4", "5", "6"},
		Pattern:  `[0-9](?:[ -]?[0-9]){10,17}`,
		Weak:     true,
		Check:    luhn,
		Source:   "https://www.iso.org/standard/70484.html",
		Example:  "4111 1111~ 1111 1111",
		Near:     "4111 1111~ 1111 1112",
	},
}

// Personal are the names of the rules that are disabled unless they are requested.
var Personal = []string{"email", "phone", "card"}

var letters = func() (all []string) {
	for c := byte('0'); c <= 'z'; c++ {
		if c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' {
			all = append(all, string(c))
		}
	}
	return all
}()

// luhn reports whether the digits of a number have a valid Luhn checksum.
func luhn(number []byte) bool {
	sum, double := 0, false
	for i := len(number) - 1; i >= 0; i-- {
		if number[i] < '0' || number[i] > '9' {
			continue
		}
		n := int(number[i] - '0')
		if double {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		double = !double
		sum += n
	}
	return sum%10 == 0
}

// notInName are the bytes that cannot be part of the local part of an e-mail address.
var notInName = strings.Map(func(r rune) rune {
	if r < 0x80 && (strings.ContainsRune("._%+-", r) || slices.Contains(letters, string(r))) {
		return -1
	}
	return r
}, ascii) + anything[0x80:]

var ascii = anything[:0x80]
