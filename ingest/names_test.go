package ingest

import (
	"net/url"
	"strings"
	"testing"
)

// What frames call their session is its id where it can be one, and is escaped in a
// way that can be undone where it cannot.
func TestSessionID(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 640) // 10 KiB
	for named, want := range map[string]string{
		"a.b":             "a.b",
		"a/b":             "a/b",
		"*":               "*",
		">":               ">",
		"two words":       "two words",
		"größe 漢字 🙂":      "größe 漢字 🙂",
		"50%":             "50%",
		"a%20b":           "a%20b",
		"~":               "~",
		"~user":           "~user",
		"x_y":             "x_y",
		"__":              "__",
		"...":             "...",
		".":               "~%2E",
		"..":              "~%2E%2E",
		"x\x00y":          "~x%00y",
		"x\x01y":          "~x%01y",
		"a\nb%":           "~a%0Ab%25",
		"\xff":            "~%FF",
		"\xfe":            "~%FE",
		"no\u00a0break":   "~no%C2%A0break",
		"~x%00y":          "~~x%2500y",
		"~50%":            "~~50%25",
		long[:256]:        long[:256],
		long[:256] + "\n": "~" + long[:218] + "%cut-", // and the hash
	} {
		got := sessionID(named)
		if cut := strings.Index(want, cutMark); cut >= 0 {
			got, want = got[:strings.Index(got, cutMark)+len(cutMark)], want[:cut+len(cutMark)]
		}
		if got != want {
			t.Errorf("%.300q becomes %q, want %q", named, got, want)
		}
	}
}

var nastyIDs = []string{
	"x\x00y", "x\x01y", "x_y", "x\ny", "x y", "x\u00a0y", "x%00y", "~x%00y", "~~x%2500y", ".", "..", "_", "__", "~%2E", "%2E", "~.",
	"a/b", "a.b", "a_b", "a*b", "a>b", "*", ">", "/", "//", "../..", "\xff", "\xfe", "\ufffd", "ö", "o\u0308",
	strings.Repeat("x", 256), strings.Repeat("x", 257), strings.Repeat("x", 10<<10), strings.Repeat("x", 10<<10) + "y",
	strings.Repeat("ö", 5<<10), strings.Repeat("ö", 5<<10) + "ä", strings.Repeat("\x00", 100), strings.Repeat("\x00", 101), strings.Repeat("~%", 128),
}

// No two ids become one, and each can be stored and asked for.
func TestSessionIDsStayDistinct(t *testing.T) {
	seen := map[string]string{}
	add := func(named string) {
		id := sessionID(named)
		if err := CheckSession(id); err != nil {
			t.Errorf("%.40q becomes an invalid id: %v", named, err)
		}
		if before, ok := seen[id]; ok && before != named {
			t.Errorf("%.40q and %.40q both become %q", before, named, id)
		}
		seen[id] = named
	}
	for _, named := range nastyIDs {
		add(named)
		add(sessionID(named)) // which a frame may name as well
		add(sessionID(sessionID(named)))
	}
}

// An id differs from its escaped form, and from that of any other.
func FuzzSessionID(f *testing.F) {
	for i, id := range nastyIDs {
		f.Add(id, nastyIDs[(i+1)%len(nastyIDs)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == "" || b == "" {
			return // names no session
		}
		for _, named := range []string{a, b} {
			id := sessionID(named)
			if err := CheckSession(id); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(id, cutMark) && looksEscaped(id) {
				continue
			}
			back := id
			if looksEscaped(id) {
				var err error
				if back, err = url.PathUnescape(strings.TrimPrefix(id, escapeMark)); err != nil {
					t.Fatal(err)
				}
			}
			if back != named {
				t.Fatalf("%q is recorded as %q, which stands for %q", named, id, back)
			}
		}
		if a != b && sessionID(a) == sessionID(b) {
			t.Fatalf("%q and %q both become %q", a, b, sessionID(a))
		}
	})
}
