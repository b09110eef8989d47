package access

import (
	"errors"
	"strings"
	"testing"
)

// The checksums were computed with Python's zlib.crc32.
var known = []string{
	"td_0123456789ABCDEFGHIJKLMNOPQRST3F6pAV",
	"td_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz38ETOP",
	"td_Tape0Deck1Tape2Deck3Tape4Deck53gRlbx",
}

func TestText(t *testing.T) {
	for _, text := range known {
		if err := checkText("td_", text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		for i := len("td_"); i < len(text); i++ { // one character mistyped
			other := byte('a')
			if text[i] == other {
				other = 'b'
			}
			if err := checkText("td_", text[:i]+string(other)+text[i+1:]); !errors.Is(err, ErrChecksum) {
				t.Errorf("%s with another character at %d: %v", text, i, err)
			}
		}
		for _, bad := range []string{"", "td_", text[1:], text + "0", text[:len(text)-1], "TD_" + text[3:], strings.Replace(text, "k", "-", 1)[:len(text)-1] + "-", "td_" + strings.Repeat("é", 18)} {
			if err := checkText("td_", bad); !errors.Is(err, ErrMalformed) {
				t.Errorf("%q: %v", bad, err)
			}
		}
	}
	seen := map[string]bool{}
	for range 1000 {
		text := newText("td_")
		if err := checkText("td_", text); err != nil || seen[text] {
			t.Fatalf("%s: %v, seen before: %v", text, err, seen[text])
		}
		seen[text] = true
	}
}

// A text that is made without a server has the form of a server's.
func TestNewTokenText(t *testing.T) {
	one, two := NewTokenText(), NewTokenText()
	if err := checkText("td_", one); err != nil || one == two {
		t.Errorf("%q, then %q: %v", one, two, err)
	}
}

// Every character of base62 is as likely as every other: with 186,000 characters each comes
// 3,000 times, give or take 6 standard deviations of 54.
func TestTextsAreEven(t *testing.T) {
	count := map[rune]int{}
	for range 6200 {
		for _, r := range randomWord(randomLength) {
			count[r]++
		}
	}
	for _, r := range base62 {
		if n := count[r]; n < 2676 || n > 3324 {
			t.Errorf("%c comes %d times", r, n)
		}
	}
}

func TestScopes(t *testing.T) {
	for own, has := range map[Scope][]Scope{
		Record: {Record}, Read: {Read}, ReadRaw: {Read, ReadRaw}, Bill: {Bill}, Admin: Scopes,
	} {
		for _, s := range Scopes {
			want := false
			for _, h := range has {
				want = want || h == s
			}
			if got := (&Principal{Tenant: "a", Scopes: []Scope{own}}).Has(s); got != want {
				t.Errorf("%s has %s: %v", own, s, got)
			}
		}
	}
	for _, p := range []Principal{{Tenant: "a", Scopes: []Scope{Admin}}, {Tenant: AllTenants, Scopes: []Scope{Read}}} {
		if p.Operates() {
			t.Errorf("%+v operates the server", p)
		}
	}
}
