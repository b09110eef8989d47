package secrets

import (
	"bytes"
	"net/url"
)

// MaskForm replaces the values of secret fields in a form (application/x-www-form-urlencoded) by
// Mask. In all other respects it behaves like MaskMembers.
func (n Names) MaskForm(text []byte) (masked []byte, cuts []Cut) {
	masked = text
	last, at := 0, 0
	for field := range bytes.SplitSeq(text, []byte("&")) {
		name, value, ok := bytes.Cut(field, []byte("="))
		if plain, err := url.QueryUnescape(string(name)); err == nil && ok && len(value) > 0 && string(value) != Mask &&
			n.Query(plain) {
			if cuts == nil {
				masked = make([]byte, 0, len(text)+len(Mask))
			}
			from, to := at+len(name)+1, at+len(field)
			masked = append(append(masked, text[last:from]...), Mask...)
			last = to
			cuts = append(cuts, Cut{from, to, len(Mask)})
		}
		at += len(field) + 1
	}
	if cuts != nil {
		masked = append(masked, text[last:]...)
	}
	return masked, cuts
}
