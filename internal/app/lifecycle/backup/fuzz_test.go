package backup

import (
	"path"
	"strings"
	"testing"
	"time"
)

// The list of files of a backup is refused, or has a time, and a base without ClickHouse's function.
func FuzzParseList(f *testing.F) {
	for _, seed := range []string{
		"", "<config/>", "<config><timestamp>2026-11-23 10:00:00</timestamp></config>",
		"<config><timestamp>2026-11-23 10:00:00</timestamp><base_backup>File('daily/1')</base_backup></config>",
		"<config><timestamp>2026-11-23 10:00:00</timestamp><base_backup>S3('https://x/y')</base_backup></config>",
		"<!DOCTYPE a [<!ENTITY b \"b\">]><config><timestamp>&b;</timestamp></config>", "<a><a><a>", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseList(text)
		if err != nil {
			return
		}
		if s.at.Equal(time.Time{}) && !strings.Contains(string(text), "0001") || strings.HasPrefix(s.base, "File(") && !strings.Contains(string(text), "File('File(") {
			t.Errorf("%q: %+v", text, s)
		}
	})
}

// A place of a backup that is accepted is inside of the directory of backups, or an address without a key, and stands in the
// statement as one literal.
func FuzzParseTarget(f *testing.F) {
	for _, seed := range []string{
		"", "daily/1", "../x", "/x", "a/../b", "disk:d/x", "disk:/x", "disk:d", "https://host/bucket/x", "https://key:secret@host/b", "http://host", "ftp://x/y",
		"a'b", `a\`, "https://h/b'/c", "a\x00b", "disk:d'/x", "s3://b/x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, err := ParseTarget(text, Keys{})
		if err != nil {
			return
		}
		if d := target.dir; d != "" && !target.s3 && (path.IsAbs(d) || d == ".." || strings.HasPrefix(path.Clean(d), "../")) {
			t.Errorf("%q leads to %q", text, d)
		}
		if n := literals(target.sql); n < 1 || n > 2 || !strings.HasSuffix(target.sql, "')") {
			t.Errorf("%q is written as %s", text, target.sql)
		}
	})
}

// literals returns how many literals a text of SQL has, 0 if one does not end.
func literals(sql string) (n int) {
	open := false
	for i := 0; i < len(sql); i++ {
		switch {
		case open && sql[i] == '\\':
			i++
		case sql[i] == '\'':
			if open = !open; open {
				n++
			}
		}
	}
	if open {
		return 0
	}
	return n
}
