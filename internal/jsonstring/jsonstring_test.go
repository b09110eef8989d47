package jsonstring

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestAppend reads what Append wrote with encoding/json.
func TestAppend(t *testing.T) {
	for _, s := range []string{
		"", "plain", "ä€😀", `"quoted" \ back`, "\n\r\t", "\x00\x1f\x7f", "<a href='x'>&", "a\xffb", "\xe2\x82", strings.Repeat("long ", 100),
	} {
		written := Append([]byte("before "), s)
		raw, found := strings.CutPrefix(string(written), "before ")
		if !found {
			t.Errorf("%q: the bytes before were changed: %q", s, written)
		}
		var read string
		if err := json.Unmarshal([]byte(raw), &read); err != nil {
			t.Errorf("%q: %q: %v", s, raw, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); read != want && strings.Count(read, "\ufffd") != len(s)-len(strings.ToValidUTF8(s, "")) {
			t.Errorf("%q became %q", s, read)
		}
	}
}

// TestEnd compares End with a search byte by byte, on random strings of few characters.
func TestEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		raw := make([]byte, random.IntN(80))
		for i := range raw {
			raw[i] = `aaaaaaaab\"é`[random.IntN(12)]
		}
		from := 0
		if len(raw) > 0 {
			from = random.IntN(min(len(raw), 8) + 1)
		}
		for from > 0 && raw[from-1] == '\\' { // content follows a quote, never a backslash
			from--
		}
		if got, want := End(raw, from), slowEnd(raw, from); got != want {
			t.Fatalf("%q from %d: %d, not %d", raw, from, got, want)
		}
	}
}

func slowEnd(raw []byte, i int) int {
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(raw)
}

func FuzzAppend(f *testing.F) {
	f.Add("a\"b\\c\n\xff")
	f.Fuzz(func(t *testing.T, s string) {
		raw := Append(nil, s)
		if !json.Valid(raw) {
			t.Fatalf("%q is not JSON", raw)
		}
		if end := End(raw, 1); end != len(raw)-1 {
			t.Fatalf("%q ends at %d", raw, end)
		}
	})
}
