package access

import (
	"errors"
	"testing"
)

// An entry of the bucket is refused, or has an id and a hash of the length of SHA-256.
func FuzzStored(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"id":"a","hash":"00"}`, `{"id":"a","hash":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","share":{"session":"s","from":"2026-01-01T00:00:00Z"}}`,
		`{"id":1}`, "[]", "null", `{"id":"a","hash":"E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855","expires_at":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		s, err := parseStored(value)
		if err != nil {
			return
		}
		if _, ok := s.digest(); !ok || s.ID == "" || len(s.Hash) != 64 {
			t.Errorf("%q is accepted: %+v", value, s)
		}
		s.Share.Shown()
	})
}

// The text of a shared link is accepted only with its own prefix: a token is none.
func FuzzShareText(f *testing.F) {
	text := newText("tds_")
	for _, seed := range []string{"", "tds_", text, text[:len(text)-1], newText("td_"), "tds_" + newText("td_")[3:], " " + text, text + "\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := checkText("tds_", text)
		switch {
		case err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrChecksum):
			t.Errorf("%q: %v", text, err)
		case err == nil && (len(text) != 40 || text[:4] != "tds_" || checkText("td_", text) == nil):
			t.Errorf("%q is accepted", text)
		}
	})
}
