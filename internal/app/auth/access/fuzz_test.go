package access

import (
	"errors"
	"testing"
)

// A text is accepted if it has the form of a token and its checksum, and then no change of one
// character is: a CRC-32 finds every error of up to 32 bits in a row.
func FuzzToken(f *testing.F) {
	text := newText("td_")
	for _, seed := range []string{
		"", "td_", text, text[:len(text)-1], text + "0", "TD_" + text[3:], text[:10] + "\x00" + text[11:], text[:10] + "é" + text[12:],
		"td_0123456789ABCDEFGHIJKLMNOPQRST3F6pAV", "td_0123456789ABCDEFGHIJKLMNOPQRST3F6pAW", "Bearer " + text, " " + text,
	} {
		f.Add(seed, uint8(7), byte('x'))
	}
	f.Fuzz(func(t *testing.T, text string, at uint8, by byte) {
		err := checkText("td_", text)
		if err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrChecksum) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if len(text) != 39 || text[:3] != "td_" {
			t.Fatalf("%q is accepted", text)
		}
		i := int(at) % len(text)
		if text[i] == by {
			return
		}
		if changed := text[:i] + string([]byte{by}) + text[i+1:]; checkText("td_", changed) == nil {
			t.Errorf("%q and %q are accepted", text, changed)
		}
	})
}
